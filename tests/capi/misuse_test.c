/* Misuse and cancellation by callers must give an error, and never a crash, a leak or a hang. */
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "tests/capi/check.h"

/* Requests a stop from the n-th call on. */
struct Patience {
    int calls;
    int left;
};

static int32_t lose_patience(void* context, const char* stage, double fraction) {
    struct Patience* patience = context;
    ++patience->calls;
    CHECK(stage != NULL && fraction >= 0 && fraction <= 1);
    return patience->left-- <= 0;
}

static void test_wrong_versions(void) {
    sv_error error;
    sv_document document = 77;
    CHECK(sv_open(SV_ABI_VERSION + 1, sample_path, NULL, NULL, NULL, &document, &error) == SV_MISUSE);
    CHECK(error.code == SV_MISUSE && error.offset == -1 && strstr(error.message, "version 2") != NULL);
    CHECK(sv_open(0, sample_path, NULL, NULL, NULL, &document, NULL) == SV_MISUSE);
    CHECK(document == 77);
}

static void test_bad_files(void) {
    sv_error error;
    sv_document document = 77;
    CHECK(sv_open(SV_ABI_VERSION, "no/such/file.pickle", NULL, NULL, NULL, &document, &error) == SV_IO);
    CHECK(strlen(error.message) > 10);
    CHECK(sv_open(SV_ABI_VERSION, __FILE__, NULL, NULL, NULL, &document, &error) != SV_OK);
    CHECK(document == 77);
}

static void test_nulls(sv_document document) {
    struct ArrowArrayStream stream;
    sv_document other = 0;
    char* text = NULL;
    CHECK(sv_open(SV_ABI_VERSION, NULL, NULL, NULL, NULL, &other, NULL) == SV_MISUSE);
    CHECK(sv_open(SV_ABI_VERSION, sample_path, NULL, NULL, NULL, NULL, NULL) == SV_MISUSE);
    CHECK(sv_info(document, NULL, NULL) == SV_MISUSE);
    CHECK(sv_tables(document, NULL, NULL) == SV_MISUSE);
    CHECK(sv_query(document, NULL, NULL, 0, NULL, NULL, &stream, NULL) == SV_MISUSE);
    CHECK(sv_table(document, NULL, NULL, NULL, &stream, NULL) == SV_MISUSE);
    CHECK(sv_table(document, "", NULL, NULL, &stream, NULL) == SV_MISUSE);
    CHECK(sv_table(document, "events", NULL, NULL, NULL, NULL) == SV_MISUSE);
    CHECK(sv_query(document, "SELECT 1", NULL, 0, NULL, NULL, NULL, NULL) == SV_MISUSE);
    CHECK(is_refused(document, "SELECT 1", NULL, -1, SV_MISUSE, "time limit"));
    CHECK(sv_info(0, &text, NULL) == SV_MISUSE && text == NULL);
}

static void test_closed(void) {
    sv_error error;
    char* text = NULL;
    const sv_document document = open_sample();
    struct ArrowArrayStream stream = ask(document, NUMBERS "SELECT i FROM n");
    CHECK(sv_close(document, &error) == SV_OK);
    CHECK(sv_close(document, &error) == SV_MISUSE && strstr(error.message, "closed") != NULL);
    CHECK(sv_info(document, &text, NULL) == SV_MISUSE && text == NULL);
    CHECK(sv_tables(document, &text, NULL) == SV_MISUSE && sv_report(document, &text, NULL) == SV_MISUSE);
    CHECK(is_refused(document, "SELECT 1", NULL, 0, SV_MISUSE, "closed"));
    CHECK(is_refused(document + 1000, "SELECT 1", NULL, 0, SV_MISUSE, "never open"));
    CHECK(count_rows(&stream) == 200000); /* started before the stop */
    const sv_document next = open_sample();
    CHECK(next != document);
    CHECK(sv_close(next, NULL) == SV_OK);
}

static void test_bad_queries(sv_document document) {
    sv_error error;
    struct ArrowArrayStream stream;
    CHECK(sv_table(document, "nowhere", NULL, NULL, &stream, &error) == SV_BAD_QUERY);
    CHECK(sv_query(document, "SELECT nonsense FROM allocations", NULL, 0, NULL, NULL, &stream, &error) == SV_BAD_QUERY);
    CHECK(error.offset == 7 && strstr(error.message, "nonsense") != NULL);
    CHECK(is_refused(document, "DROP TABLE allocations", NULL, 0, SV_BAD_QUERY, "read-only"));
    CHECK(is_refused(document, "", NULL, 0, SV_BAD_QUERY, "empty"));
    CHECK(is_refused(document, "SELECT 1; SELECT 2", NULL, 0, SV_BAD_QUERY, "one statement"));
    CHECK(is_refused(document, "SELECT :step", NULL, 0, SV_BAD_QUERY, "parameter :step has no value"));
    CHECK(is_refused(document, "SELECT ?", "[]", 0, SV_BAD_QUERY, "has no value"));
    CHECK(is_refused(document, "SELECT 1", "{\"step\": 1}", 0, SV_BAD_QUERY, "no parameter called step"));
    CHECK(is_refused(document, "SELECT :a", "{\"a\": [1]}", 0, SV_BAD_QUERY, "list"));
    CHECK(is_refused(document, "SELECT :a", "{\"a\": 18446744073709551615}", 0, SV_BAD_QUERY, "signed 64-bit"));
    CHECK(is_refused(document, "SELECT :a", "{\"a\": ", 0, SV_BAD_QUERY, "JSON"));
    CHECK(is_refused(document, "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", NULL,
                     0.2, SV_BAD_QUERY, "0.2 s"));
}

static void test_released_stream(sv_document document) {
    struct ArrowArrayStream stream = ask(document, NUMBERS "SELECT i, 'text' FROM n");
    struct ArrowArray batch;
    struct ArrowSchema schema;
    CHECK(stream.get_next(&stream, &batch) == 0);
    struct ArrowArrayStream copy = stream;
    stream.release(&stream); /* released in the middle of the stream */
    CHECK(stream.release == NULL);
    CHECK(copy.get_next(&stream, &batch) == EINVAL && copy.get_schema(&stream, &schema) == EINVAL);
    CHECK(copy.get_last_error(&stream) == NULL);
    CHECK(integer_at(batch.children[0], 65535) == 65536); /* a batch outlives its stream */
    /* A column that is moved out of its batch outlives the batch. */
    struct ArrowArray column = *batch.children[1];
    batch.children[1]->release = NULL;
    batch.release(&batch);
    CHECK(text_is(&column, 65535, "text"));
    column.release(&column);
    /* A stream that was never read. */
    stream = ask(document, NUMBERS "SELECT i FROM n");
    stream.release(&stream);
}

static void test_stops(sv_document document) {
    sv_error error;
    sv_document other = 77;
    struct Patience none = {0, 0};
    CHECK(sv_open(SV_ABI_VERSION, sample_path, NULL, lose_patience, &none, &other, &error) == SV_STOPPED && other == 77);
    CHECK(none.calls >= 1);
    struct Patience enough = {0, 1000};
    CHECK(sv_open(SV_ABI_VERSION, sample_path, NULL, lose_patience, &enough, &other, &error) == SV_OK);
    CHECK(enough.calls >= 1 && sv_close(other, NULL) == SV_OK);
    /* An endless query. */
    struct ArrowArrayStream stream;
    struct Patience some = {0, 2};
    const char* const endless = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    CHECK(sv_query(document, endless, NULL, 0, lose_patience, &some, &stream, &error) == SV_STOPPED);
    CHECK(error.code == SV_STOPPED && some.calls == 3);
    /* Stops in the middle of a stream. */
    struct ArrowArray batch;
    stream = ask(document, "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
    CHECK(stream.get_next(&stream, &batch) == 0);
    batch.release(&batch);
    sv_stop(&stream);
    CHECK(stream.get_next(&stream, &batch) == ECANCELED);
    CHECK(strcmp(stream.get_last_error(&stream), "stopped") == 0);
    CHECK(stream.get_next(&stream, &batch) == ECANCELED); /* further calls fail, too */
    stream.release(&stream);
    sv_stop(&stream);
    sv_stop(NULL);
}

static void* stop_soon(void* stream) {
    const struct timespec tenth_of_a_second = {0, 100000000};
    nanosleep(&tenth_of_a_second, NULL);
    sv_stop(stream);
    return NULL;
}

/* Stops while another thread waits for rows of an endless query. */
static void test_stop_of_a_wait(sv_document document) {
    struct ArrowArrayStream stream =
        ask(document, "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 70000");
    struct ArrowArray batch;
    CHECK(stream.get_next(&stream, &batch) == 0);
    batch.release(&batch);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, stop_soon, &stream) == 0);
    CHECK(stream.get_next(&stream, &batch) == ECANCELED);
    CHECK(pthread_join(thread, NULL) == 0);
    stream.release(&stream);
}

static void test_too_many(sv_document document) {
    struct ArrowArrayStream streams[64];
    for (int i = 0; i < 64; ++i) streams[i] = ask(document, NUMBERS "SELECT i FROM n");
    CHECK(is_refused(document, "SELECT 1", NULL, 0, SV_BAD_QUERY, "64 queries"));
    for (int i = 0; i < 64; ++i) streams[i].release(&streams[i]);
    struct ArrowArrayStream stream = ask(document, NUMBERS "SELECT i FROM n");
    CHECK(count_rows(&stream) == 200000);
}

void test_misuse(void) {
    test_wrong_versions();
    test_bad_files();
    test_closed();
    const sv_document document = open_sample();
    test_nulls(document);
    test_bad_queries(document);
    test_released_stream(document);
    test_stops(document);
    test_stop_of_a_wait(document);
    test_too_many(document);
    CHECK(sv_close(document, NULL) == SV_OK);
}
