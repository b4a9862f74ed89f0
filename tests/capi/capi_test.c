/* Tests that the header's promises hold, on handmade rows. */
#include <errno.h>
#include <pthread.h>

#include "tests/capi/check.h"

static void test_versions(void) {
    CHECK(sv_abi_version() == SV_ABI_VERSION);
    CHECK(strlen(sv_version()) >= 5);
    CHECK(strncmp(sv_sandbox(), "on", 2) == 0 || strncmp(sv_sandbox(), "off: ", 5) == 0);
}

static void test_json(sv_document document) {
    char* info = NULL;
    char* tables = NULL;
    CHECK(sv_info(document, &info, NULL) == SV_OK);
    CHECK(strstr(info, "\"devices\":[{\"device\":0,") != NULL);
    CHECK(sv_tables(document, &tables, NULL) == SV_OK);
    CHECK(strstr(tables, "{\"name\":\"allocs\",") != NULL);
    char* report = NULL;
    CHECK(sv_report(document, &report, NULL) == SV_OK);
    CHECK(strncmp(report, "{\"version\":1,\"devices\":[{\"device\":0,", 36) == 0);
    sv_free_text(report);
    sv_free_text(info);
    sv_free_text(tables);
    sv_free_text(NULL);
}

/* A column of each type. */
static void test_types(sv_document document) {
    struct ArrowArrayStream stream =
        ask(document,
            "SELECT 9007199254740993 AS big, 0.5 AS half, 'gr\xC3\xBC\xC3\x9F' AS text, x'00ff' AS bytes, NULL AS "
            "absent UNION ALL SELECT NULL, 2, NULL, NULL, NULL UNION ALL SELECT -1, NULL, '', x'', NULL");
    struct ArrowSchema schema;
    CHECK(stream.get_schema(&stream, &schema) == 0);
    CHECK(strcmp(schema.format, "+s") == 0 && schema.n_children == 5);
    const char* const names[] = {"big", "half", "text", "bytes", "absent"};
    const char* const formats[] = {"l", "g", "u", "z", "n"};
    for (int i = 0; i < 5; ++i) {
        CHECK(strcmp(schema.children[i]->name, names[i]) == 0);
        CHECK(strcmp(schema.children[i]->format, formats[i]) == 0);
        CHECK((schema.children[i]->flags & ARROW_FLAG_NULLABLE) != 0);
    }
    schema.release(&schema);
    CHECK(schema.release == NULL);
    struct ArrowArray batch;
    CHECK(stream.get_next(&stream, &batch) == 0);
    CHECK(batch.length == 3 && batch.n_children == 5 && batch.n_buffers == 1);
    CHECK(integer_at(batch.children[0], 0) == 9007199254740993 && integer_at(batch.children[0], 2) == -1);
    CHECK(batch.children[0]->null_count == 1 && is_null_at(batch.children[0], 1) && !is_null_at(batch.children[0], 2));
    CHECK(real_at(batch.children[1], 0) == 0.5 && real_at(batch.children[1], 1) == 2 && is_null_at(batch.children[1], 2));
    CHECK(text_is(batch.children[2], 0, "gr\xC3\xBC\xC3\x9F") && text_is(batch.children[2], 2, "") &&
          is_null_at(batch.children[2], 1));
    CHECK(bytes_are(batch.children[3], 0, "\0\xFF", 2) && is_null_at(batch.children[3], 1) &&
          !is_null_at(batch.children[3], 2));
    CHECK(batch.children[4]->n_buffers == 0 && batch.children[4]->null_count == 3);
    batch.release(&batch);
    CHECK(stream.get_next(&stream, &batch) == 0 && batch.release == NULL);
    stream.release(&stream);
}

/* Types of columns with mixed values. */
static void test_mixed_types(sv_document document) {
    struct ArrowArrayStream stream =
        ask(document, "SELECT 7 AS a, 1.5 AS b, 'x' AS c, 1 AS d UNION ALL SELECT 'x', 'y', x'61', 2.5");
    struct ArrowSchema schema;
    struct ArrowArray batch;
    CHECK(stream.get_schema(&stream, &schema) == 0 && stream.get_next(&stream, &batch) == 0);
    const char* const formats[] = {"u", "u", "z", "g"};
    for (int i = 0; i < 4; ++i) CHECK(strcmp(schema.children[i]->format, formats[i]) == 0);
    CHECK(text_is(batch.children[0], 0, "7") && text_is(batch.children[0], 1, "x"));
    CHECK(text_is(batch.children[1], 0, "1.5") && text_is(batch.children[1], 1, "y"));
    CHECK(text_is(batch.children[2], 0, "x") && text_is(batch.children[2], 1, "a"));
    CHECK(real_at(batch.children[3], 0) == 1 && real_at(batch.children[3], 1) == 2.5);
    batch.release(&batch);
    schema.release(&schema);
    stream.release(&stream);
    /* No double can represent 2^53 + 1. */
    stream = ask(document, "SELECT 9007199254740993 AS a UNION ALL SELECT 0.5");
    CHECK(stream.get_next(&stream, &batch) == 0 && text_is(batch.children[0], 0, "9007199254740993"));
    batch.release(&batch);
    stream.release(&stream);
    /* A row with another type after the types of the columns are fixed. */
    stream = ask(document, NUMBERS "SELECT CASE WHEN i = 150000 THEN 'late' ELSE i END AS mixed FROM n");
    int status = 0;
    int64_t count = 0;
    while ((status = stream.get_next(&stream, &batch)) == 0 && batch.release != NULL) {
        count += batch.length;
        batch.release(&batch);
    }
    CHECK(status == EINVAL && count == 2 * 65536);
    const char* sentence = stream.get_last_error(&stream);
    CHECK(sentence != NULL && strstr(sentence, "mixed holds integers before row 150000") != NULL);
    stream.release(&stream);
}

/* Batches have 64 Ki rows in the right order, and the same types. */
static void test_batches(sv_document document) {
    struct ArrowArrayStream stream = ask(document, NUMBERS "SELECT i, nullif(i % 3, 0) AS r, 'row ' || i AS t FROM n");
    int64_t row = 0;
    for (;;) {
        struct ArrowArray batch;
        CHECK(stream.get_next(&stream, &batch) == 0);
        if (batch.release == NULL) break;
        CHECK(batch.length == (row < 3 * 65536 ? 65536 : 200000 - 3 * 65536));
        bool is_right = true;
        for (int64_t i = 0; i < batch.length; ++i) {
            char text[32];
            ++row;
            snprintf(text, sizeof text, "row %d", (int)row);
            is_right = is_right && integer_at(batch.children[0], i) == row && text_is(batch.children[2], i, text) &&
                       (row % 3 == 0 ? is_null_at(batch.children[1], i)
                                     : !is_null_at(batch.children[1], i) && integer_at(batch.children[1], i) == row % 3);
        }
        CHECK(is_right);
        batch.release(&batch);
    }
    CHECK(row == 200000);
    stream.release(&stream);
    /* Long texts make short batches. */
    stream = ask(document, NUMBERS "SELECT hex(zeroblob(10000)) FROM n LIMIT 1000");
    struct ArrowArray batch;
    CHECK(stream.get_next(&stream, &batch) == 0 &&
          batch.length == 420); /* the first row past 8 MiB, with 20,000 bytes per row */
    batch.release(&batch);
    CHECK(count_rows(&stream) == 1000 - 420);
    stream = ask(document, "SELECT size FROM allocations WHERE size < 0");
    struct ArrowSchema schema;
    CHECK(stream.get_schema(&stream, &schema) == 0 && strcmp(schema.children[0]->format, "l") == 0);
    schema.release(&schema);
    CHECK(count_rows(&stream) == 0);
}

static void test_parameters(sv_document document) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    CHECK(sv_query(document, "SELECT :whole, :part, :text, :none, :whole",
                   "{\"whole\": 9007199254740993, \"part\": 0.25, \"text\": "
                   "\"O'Neill\", \"none\": null}",
                   0, NULL, NULL, &stream, NULL) == SV_OK);
    CHECK(stream.get_next(&stream, &batch) == 0);
    CHECK(integer_at(batch.children[0], 0) == 9007199254740993 && integer_at(batch.children[4], 0) == 9007199254740993);
    CHECK(real_at(batch.children[1], 0) == 0.25 && text_is(batch.children[2], 0, "O'Neill") &&
          batch.children[3]->null_count == 1);
    batch.release(&batch);
    stream.release(&stream);
    CHECK(sv_query(document, "SELECT ? - ?", "[10, 3]", 0, NULL, NULL, &stream, NULL) == SV_OK);
    CHECK(stream.get_next(&stream, &batch) == 0 && integer_at(batch.children[0], 0) == 7);
    batch.release(&batch);
    stream.release(&stream);
}

/* Several results of one document at once, as in `for row in query: other query`. */
static void test_side_by_side(sv_document document) {
    struct ArrowArrayStream first = ask(document, NUMBERS "SELECT i FROM n");
    struct ArrowArrayStream second = ask(document, NUMBERS "SELECT i FROM n");
    struct ArrowArray batch;
    CHECK(first.get_next(&first, &batch) == 0);
    batch.release(&batch);
    CHECK(count_rows(&second) == 200000);
    CHECK(count_rows(&first) == 200000 - 65536);
}

static void* count_in_thread(void* document) {
    struct ArrowArrayStream stream =
        ask(*(sv_document*)document, "SELECT a.id FROM allocations a JOIN allocations b ON b.id = a.id");
    return (void*)(intptr_t)count_rows(&stream);
}

static void test_threads(sv_document document) {
    struct ArrowArrayStream stream = ask(document, "SELECT count(*) FROM allocations");
    struct ArrowArray batch;
    CHECK(stream.get_next(&stream, &batch) == 0);
    const int64_t allocations = integer_at(batch.children[0], 0);
    CHECK(allocations > 1000);
    batch.release(&batch);
    stream.release(&stream);
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) CHECK(pthread_create(&threads[i], NULL, count_in_thread, &document) == 0);
    for (int i = 0; i < 4; ++i) {
        void* count = NULL;
        CHECK(pthread_join(threads[i], &count) == 0 && (int64_t)(intptr_t)count == allocations);
    }
}

void test_interface(void) {
    test_versions();
    const sv_document document = open_sample();
    test_json(document);
    test_types(document);
    test_mixed_types(document);
    test_batches(document);
    test_parameters(document);
    test_side_by_side(document);
    test_threads(document);
    CHECK(sv_close(document, NULL) == SV_OK);
}
