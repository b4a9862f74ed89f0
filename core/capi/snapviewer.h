// clang-format off
/* The C interface of snapviewer: opens what the program opens and answers in SQL, without a window and without OpenGL.
 *
 *     sv_error error;
 *     sv_document document;
 *     struct ArrowArrayStream rows;
 *     if (sv_open(SV_ABI_VERSION, "assets/sample.pickle", NULL, NULL, NULL, &document, &error) != SV_OK) {
 *         complain(error.message);
 *         return;
 *     }
 *     if (sv_query(document, "SELECT size FROM allocations", NULL, 0, NULL, NULL, &rows, &error) == SV_OK) {
 *         consume(&rows);                // rows.get_next() until it returns an array without a release
 *         rows.release(&rows);
 *     }
 *     sv_close(document, NULL);
 *
 * Every function may be called from any thread at any time, and from several threads for the same document; queries of one
 * document run in parallel. Do not call them from signal handlers. Only C types cross the interface, and no exceptions.
 *
 * Functions that can fail return SV_OK or another code. On failure they fill `error`, which may be NULL, and leave their
 * outputs unchanged. Texts are UTF-8 and end with a zero byte.
 *
 * Files may come from strangers. They are read in this process, on the library's own threads, which run in the program's
 * sandbox: they cannot start programs, open connections or change files. They do share memory with your threads, which are
 * not in the sandbox. Set the environment variable SNAPVIEWER_SANDBOX to "off" to go without it, or to "required" to make
 * sv_open() fail if the kernel does not provide all of it; see docs/security.md. */
// clang-format on
#ifndef SNAPVIEWER_H
#define SNAPVIEWER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(SV_BUILDING_DLL)
#define SV_API __declspec(dllexport)
#elif defined(__GNUC__)
#define SV_API __attribute__((visibility("default")))
#else
#define SV_API
#endif

/* Increases when a function, a struct or a code of this header changes its meaning; additions do not increase it. */
#define SV_ABI_VERSION 1

/* Error codes. */
enum {
    SV_OK = 0,
    SV_BAD_FILE = 1,    /* the bytes do not follow the format */
    SV_UNSUPPORTED = 2, /* a file that is recognised but not supported */
    SV_IO = 3,          /* the system could not read */
    SV_BAD_QUERY = 4,   /* invalid SQL or parameter; a query that ran out of time or memory */
    SV_STOPPED = 5,     /* the callback requested it */
    SV_ENVIRONMENT = 6, /* the system could not provide memory, a thread or the required sandbox */
    SV_MISUSE = 7       /* a closed document, another version of this header, or an unexpected NULL */
};

/// Why a call failed.
typedef struct sv_error {
    int32_t code;
    int64_t offset;     /* the byte of the file, or of the SQL, where the problem is; -1 if none */
    char message[4096]; /* one sentence that a user can act on, without the file's name */
} sv_error;

/* An open file. It is a number, so that using a closed document is an error and not a crash. 0 means none. */
typedef uint64_t sv_document;

/* Called on the calling thread while it waits: at once, and then some 20 times a second. `stage` says what is being done
 * ("reading the file"), `fraction`, from 0 to 1, how much of it is finished. Return anything but 0 to stop the work: the
 * waiting call then returns SV_STOPPED within a tenth of a second. Do not call functions of this header for the same stream.
 */
typedef int32_t (*sv_progress)(void* context, const char* stage, double fraction);

SV_API uint32_t sv_abi_version(void); /* version of the library; sv_open() refuses any other */
SV_API const char* sv_version(void);  /* three numbers, as in "1.0.0"; static */

/* The state of the sandbox for the threads that read files: "on", or "partly on: " or "off: " followed by what is missing,
 * why, and what that means. Static. Determined on the first call, on a thread. */
SV_API const char* sv_sandbox(void);

/* Opens any file that the program opens, recognised by its bytes, also "node:/path" and links; `with`, or NULL, is a second
 * file to open together with it. Takes as long as reading the file, and keeps it in memory. Pass SV_ABI_VERSION as
 * `abi_version`. Close the document with sv_close(). */
SV_API int32_t sv_open(uint32_t abi_version, const char* path, const char* with, sv_progress progress, void* context,
                       sv_document* document, sv_error* error);

/* Closes the document. Streams that were started before can still be read to the end; the memory of the file is freed when
 * the last of them is released. SV_MISUSE if the document is not open. */
SV_API int32_t sv_close(sv_document document, sv_error* error);

/* What the file holds, as a JSON object: {"kind", "container", "devices": [{"device", "events", "allocations", "stacks",
 * "steps", "peak_bytes", "live_bytes_at_end", "path_points", "recording"}], "oom", "import_log"}, as `snapviewer info
 * --json` prints it. Free it with sv_free_text(). Ignore unknown keys. */
SV_API int32_t sv_info(sv_document document, char** json, sv_error* error);

/* Why memory ran out, what grows and what holds it: {"version": 1, "devices": [{"device", "findings", "oom", "steps",
 * "growth", "kinds", "holes"}]}, as `snapviewer report --json` prints it; docs/analyses.md explains. Can take seconds for a
 * large file. */
SV_API int32_t sv_report(sv_document document, char** json, sv_error* error);

/* The tables for queries, as JSON: [{"name", "text", "schema", "columns": [{"name", "type", "text"}]}]. The schema is empty
 * for snapviewer's own tables; the names of others are those of the file. */
SV_API int32_t sv_tables(sv_document document, char** json, sv_error* error);

SV_API void sv_free_text(char* text); /* frees the text of sv_info() and similar; NULL does nothing */

/* The Arrow C stream interface, https://arrow.apache.org/docs/format/CStreamInterface.html, which every Arrow library
 * supports.
 */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/// The type of a column or of a row.
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};

/// The values of a column, or of the columns of a batch.
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
/// A result, batch by batch.
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};
#endif

/* Runs one SELECT statement; docs/sql.md lists the tables. Rows come as a stream of struct arrays, one child per column, in
 * batches of at most 65,536 rows and some 8 MiB of text: integers as int64, numbers as double, text as utf8, blobs as
 * binary, a column that is always NULL as null. A column's type is the first of these that holds all values of its first
 * batch, text if they are texts and numbers; if all of them are NULL, the declared type of its table. A later value that
 * does not fit ends the stream with an error that names it. The next batches are made while one is being read; at most three
 * are held, however long the result is.
 *
 * `parameters_json`, or NULL: an object with the values of :name, or an array with those of each ?; null,
 * integers, numbers and strings. `max_seconds` counts from the call on; 0 means no limit. `progress`, or NULL, is called
 * only while this function waits.
 *
 * The call returns when the first batch is ready, so any mistake in the SQL is reported here. Release the stream, at any
 * time and from any thread; releasing it stops the query. Only one thread at a time may use a stream, except for sv_stop().
 * Its errors are errno codes: ECANCELED when stopped, otherwise EINVAL, with the sentence in get_last_error(). */
SV_API int32_t sv_query(sv_document document, const char* sql, const char* parameters_json, double max_seconds,
                        sv_progress progress, void* context, struct ArrowArrayStream* stream, sv_error* error);

/* All rows of a table of sv_tables() with all its columns, in the order of the file, without SQL, in a fraction of the
 * time of `SELECT * FROM table`. Tables that are computed when they are read, and those of a profiler's file, are refused
 * with SV_BAD_QUERY. Otherwise like sv_query(). */
SV_API int32_t sv_table(sv_document document, const char* table, sv_progress progress, void* context,
                        struct ArrowArrayStream* stream, sv_error* error);

/* Stops a query from a thread other than the one that waits in its stream's get_next(), which returns ECANCELED from then
 * on. The stream must still be released. Does nothing to a released stream or a stream that is not from this library. */
SV_API void sv_stop(struct ArrowArrayStream* stream);

#ifdef __cplusplus
}
#endif

#endif
