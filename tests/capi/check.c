#include "tests/capi/check.h"

const char* sample_path;
int failure_count = 0;

sv_document open_sample(void) {
    sv_error error;
    sv_document document = 0;
    CHECK(sv_open(SV_ABI_VERSION, sample_path, NULL, NULL, NULL, &document, &error) == SV_OK);
    CHECK(document != 0);
    return document;
}

struct ArrowArrayStream ask(sv_document document, const char* sql) {
    sv_error error;
    struct ArrowArrayStream stream;
    memset(&stream, 0, sizeof stream);
    const int32_t code = sv_query(document, sql, NULL, 0, NULL, NULL, &stream, &error);
    if (code != SV_OK) fprintf(stderr, "%s: %s\n", sql, error.message);
    CHECK(code == SV_OK);
    return stream;
}

bool is_refused(sv_document document, const char* sql, const char* parameters, double max_seconds, int32_t code,
                const char* text) {
    sv_error error;
    struct ArrowArrayStream stream;
    memset(&stream, 0, sizeof stream);
    const int32_t got = sv_query(document, sql, parameters, max_seconds, NULL, NULL, &stream, &error);
    if (got == SV_OK) stream.release(&stream);
    if (got != code || error.code != code || stream.release != NULL || strstr(error.message, text) == NULL) {
        fprintf(stderr, "%s: %d %s\n", sql, (int)got, got == SV_OK ? "" : error.message);
        return false;
    }
    return true;
}

int64_t count_rows(struct ArrowArrayStream* stream) {
    int64_t count = 0;
    for (;;) {
        struct ArrowArray batch;
        if (stream->get_next(stream, &batch) != 0) {
            count = -1;
            break;
        }
        if (batch.release == NULL) break;
        count += batch.length;
        batch.release(&batch);
    }
    stream->release(stream);
    return count;
}

int64_t integer_at(const struct ArrowArray* column, int64_t row) { return ((const int64_t*)column->buffers[1])[row]; }

double real_at(const struct ArrowArray* column, int64_t row) { return ((const double*)column->buffers[1])[row]; }

bool is_null_at(const struct ArrowArray* column, int64_t row) {
    const unsigned char* bits = column->buffers[0];
    return bits != NULL && (bits[row / 8] >> (row % 8) & 1) == 0;
}

bool bytes_are(const struct ArrowArray* column, int64_t row, const char* bytes, size_t size) {
    const int32_t* ends = column->buffers[1];
    return (size_t)(ends[row + 1] - ends[row]) == size &&
           memcmp((const char*)column->buffers[2] + ends[row], bytes, size) == 0;
}

bool text_is(const struct ArrowArray* column, int64_t row, const char* text) {
    return bytes_are(column, row, text, strlen(text));
}
