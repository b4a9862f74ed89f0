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
 *         consume(&rows);                // rows.get_next() until it gives an array without a release
 *         rows.release(&rows);
 *     }
 *     sv_close(document, NULL);
 *
 * Every function may be called from any thread, at any time, also for one document from several threads; queries of one
 * document run side by side. None is for signal handlers. Nothing but C types crosses, no exception leaves.
 *
 * Functions that can fail return SV_OK or another code and fill `error`, which may be NULL; what they were to give is then
 * left as it was. Texts are UTF-8 and end with a zero byte.
 *
 * The files are a stranger's, and are read in this process, on threads of the library's own, which are in the program's
 * sandbox: they can start no program, open no connection and change no file. They share their memory with yours, which are
 * not. The environment variable SNAPVIEWER_SANDBOX is "off" to go without it, and "required" to have sv_open() fail where
 * the kernel does not grant all of it; docs/security.md tells more. */
// clang-format on
#ifndef SNAPVIEWER_H
#define SNAPVIEWER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SV_API __attribute__((visibility("default")))
#else
#define SV_API
#endif

/* Rises when a function, a struct or a code of this header changes what it means. What is added does not raise it. */
#define SV_ABI_VERSION 1

/* Codes of errors. */
enum {
    SV_OK = 0,
    SV_BAD_FILE = 1,    /* the bytes are not what the format promises */
    SV_UNSUPPORTED = 2, /* a file that is recognised and not read */
    SV_IO = 3,          /* the system could not read */
    SV_BAD_QUERY = 4,   /* SQL, or a parameter, that is refused; a query out of time or memory */
    SV_STOPPED = 5,     /* the callback asked for it */
    SV_ENVIRONMENT = 6, /* the system refused memory, a thread or the sandbox that is required */
    SV_MISUSE = 7       /* a closed document, another version of this header, NULL where something is needed */
};

/// Why a call failed.
typedef struct sv_error {
    int32_t code;
    int64_t offset;     /* the byte of the file, or of the SQL, that it is about; -1 if none */
    char message[4096]; /* one sentence that a user can act on, without the file's name */
} sv_error;

/* An open file. A number, so that one that is closed is told, not followed. 0 is none. */
typedef uint64_t sv_document;

/* Called on the thread that called, at once and then some 20 times a second, while that thread waits. `stage` says what is
 * being done ("reading the file"), `fraction` from 0 to 1 how much of it is. Anything but 0 stops the work: the call that
 * waits then returns SV_STOPPED, within a tenth of a second. It must not call functions of this header for the same stream.
 */
typedef int32_t (*sv_progress)(void* context, const char* stage, double fraction);

SV_API uint32_t sv_abi_version(void); /* of the library; sv_open() refuses another one */
SV_API const char* sv_version(void);  /* "0.1.0"; static */

/* What the kernel holds the threads to that read files: "on", or "on, in part: " or "off: " with what is missing, why, and
 * what that means. Static. Tried when it is first asked, on a thread. */
SV_API const char* sv_sandbox(void);

/* Opens any file that the program opens, by its bytes; `with`, or NULL, is a second one to be opened together with it. Takes
 * as long as reading the file; keeps it in memory. `abi_version` is SV_ABI_VERSION. To be closed with sv_close(). */
SV_API int32_t sv_open(uint32_t abi_version, const char* path, const char* with, sv_progress progress, void* context,
                       sv_document* document, sv_error* error);

/* From now on the document is unknown. Streams that were begun can still be read to their end; what the file takes is given
 * back when the last of them is released. SV_MISUSE if it is not open. */
SV_API int32_t sv_close(sv_document document, sv_error* error);

/* What the file holds, as a JSON object: {"kind", "container", "devices": [{"device", "events", "allocations", "stacks",
 * "steps", "peak_bytes", "live_bytes_at_end", "path_points", "recording"}], "oom", "import_log"}, as `snapviewer info
 * --json` says it. To be given back with sv_free_text(). Unknown keys are to be ignored. */
SV_API int32_t sv_info(sv_document document, char** json, sv_error* error);

/* Why memory ran out, what grows and what keeps it: {"version": 1, "devices": [{"device", "findings", "oom", "steps",
 * "growth", "kinds", "holes"}]}, as `snapviewer report --json` says it; docs/analyses.md explains. Up to seconds for a large
 * file. */
SV_API int32_t sv_report(sv_document document, char** json, sv_error* error);

/* The tables that can be asked, as JSON: [{"name", "text", "columns": [{"name", "type", "text"}]}]. */
SV_API int32_t sv_tables(sv_document document, char** json, sv_error* error);

SV_API void sv_free_text(char* text); /* what sv_info() and its like gave; NULL does nothing */

/* The Arrow C stream interface, https://arrow.apache.org/docs/format/CStreamInterface.html, which every Arrow library takes.
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

/* Runs one SELECT statement; docs/sql.md lists the tables. Rows come as a stream of struct arrays, one child a column, in
 * batches of at most 65,536 rows and some 8 MiB of text: integers as int64, numbers as double, text as utf8, blobs as
 * binary, a column of nothing but NULL as null. A column's type is the first of these that holds all values of its first
 * batch, text if they are texts and numbers; if all of them are NULL, what its table declares. A later value that does not
 * fit ends the stream with an error that says which. The next batches are made while one is being looked at; at most three
 * are held, however long the result.
 *
 * `parameters_json`, or NULL: an object with the values of :name, or an array with those of each ?; null,
 * integers, numbers and strings. `max_seconds`, from the call on, 0 for no limit. `progress`, or NULL, is called while this
 * function waits, not later.
 *
 * The call returns when the first batch is there, so it tells all that is wrong with the SQL. The stream is to be released,
 * at any time and from any thread; releasing it stops the query. One thread at a time uses a stream, but for sv_stop(). Its
 * errors are errno's: ECANCELED when stopped, else EINVAL, with the sentence in get_last_error(). */
SV_API int32_t sv_query(sv_document document, const char* sql, const char* parameters_json, double max_seconds,
                        sv_progress progress, void* context, struct ArrowArrayStream* stream, sv_error* error);

/* All rows of a table of sv_tables() with all its columns, in the order of the file, without SQL: a fraction of the time
 * that `SELECT * FROM table` takes. Tables that are worked out when they are asked for, and those of a profiler's file, are
 * refused with SV_BAD_QUERY. Otherwise as sv_query(). */
SV_API int32_t sv_table(sv_document document, const char* table, sv_progress progress, void* context,
                        struct ArrowArrayStream* stream, sv_error* error);

/* Ends a query from another thread than the one that waits in its stream's get_next(), which then gives ECANCELED, as it
 * does from then on. The stream still has to be released. Does nothing to a released stream or one of others. */
SV_API void sv_stop(struct ArrowArrayStream* stream);

#ifdef __cplusplus
}
#endif

#endif
