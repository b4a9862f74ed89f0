#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/capi/snapviewer.h"

extern const char* sample_path;
extern int failure_count;

/* Goes on after a failure, so that one run tells all. */
#define CHECK(what)                                                            \
    do {                                                                       \
        if (!(what)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            ++failure_count;                                                   \
        }                                                                      \
    } while (0)

/* 200,000 rows, i from 1 on. */
#define NUMBERS "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "

sv_document open_sample(void);
/* Starts a query that must be right. */
struct ArrowArrayStream ask(sv_document document, const char* sql);
/* Whether a query is refused with this code and a sentence that has this text. */
bool is_refused(sv_document document, const char* sql, const char* parameters, double max_seconds, int32_t code,
                const char* text);
/* Reads a stream to its end and releases it; -1 on an error. */
int64_t count_rows(struct ArrowArrayStream* stream);
int64_t integer_at(const struct ArrowArray* column, int64_t row);
double real_at(const struct ArrowArray* column, int64_t row);
bool is_null_at(const struct ArrowArray* column, int64_t row);
bool bytes_are(const struct ArrowArray* column, int64_t row, const char* bytes, size_t size);
bool text_is(const struct ArrowArray* column, int64_t row, const char* text);

void test_interface(void);
void test_misuse(void);
