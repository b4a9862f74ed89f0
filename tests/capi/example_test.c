#include "tests/capi/example.h"

#include "tests/capi/check.h"

void complain(const char* message) {
    fprintf(stderr, "%s\n", message);
    CHECK(0);
}

void consume(struct ArrowArrayStream* stream) {
    int64_t rows = 0;
    for (;;) {
        struct ArrowArray batch;
        CHECK(stream->get_next(stream, &batch) == 0);
        if (batch.release == NULL) break;
        rows += batch.length;
        batch.release(&batch);
    }
    CHECK(rows > 0);
}
