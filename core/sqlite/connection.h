#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <new>
#include <stdexcept>

#include "core/base/context.h"
#include "core/sqlite/sqlite_file.h"

/// Callbacks, limits and memory of every connection. For code that calls the SQLite API directly; other code uses SqliteFile
/// or Database.
namespace snapviewer {

/// Runs a callback of SQLite, which must not throw. Returns SQLITE_NOMEM for a lack of memory, SQLITE_INTERRUPT for a
/// Failure, SQLITE_TOOBIG for a length_error and SQLITE_ERROR for any other exception.
template <typename Call>
int sqlite_status_of(Call call) noexcept {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return SQLITE_NOMEM;
    } catch (const Failure&) {
        return SQLITE_INTERRUPT;
    } catch (const std::length_error&) {
        return SQLITE_TOOBIG;
    } catch (...) {
        return SQLITE_ERROR;
    }
}

/// Wraps a callback for SQLite in sqlite_status_of().
template <auto call>
struct SqliteCallback;

/// Wraps a callback that returns an SQLite result code, for example of a virtual table or a file.
template <typename... Arguments, int (*call)(Arguments...)>
struct SqliteCallback<call> {
    static int run(Arguments... arguments) noexcept {
        return sqlite_status_of([&] { return call(arguments...); });
    }
};

/// Wraps an SQL function.
template <void (*call)(sqlite3_context*, int, sqlite3_value**)>
struct SqliteCallback<call> {
    static void run(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
        const int status = sqlite_status_of([&] {
            call(context, count, values);
            return SQLITE_OK;
        });
        if (status == SQLITE_NOMEM) sqlite3_result_error_nomem(context);
        if (status != SQLITE_OK) sqlite3_result_error_code(context, status);
    }
};

/// Pointer to the wrapped callback.
template <auto call>
inline constexpr auto sqlite_callback = &SqliteCallback<call>::run;

/// Limits of a connection on values and statements.
struct SqliteLimits {
    int value_bytes = 0;  ///< maximum size of a text, a blob or a whole row
    int columns = 0;      ///< maximum number of columns of a table or a result
};

/// Sets `limits`, and the limits that are the same for every connection: depth of expressions, length of programs, nested
/// triggers, attached databases and others.
void set_limits(sqlite3* connection, const SqliteLimits& limits);

/// False if another part of the process used SQLite first. Its memory is not counted then, and it cannot be stopped while it
/// prepares a statement.
bool counts_sqlite_memory();

/// While an object of this class exists, SQLite's allocations on this thread are counted and may be refused. This limits the
/// memory of a query without a limit for the whole process, and stops SQLite where it does not call its progress handler,
/// such as while it compiles a statement. After a refusal SQLite returns SQLITE_NOMEM and stays usable. At most one object
/// per thread.
///
///     const QueryMemory memory([](void* control, std::int64_t bytes) { return bytes < k_most; }, &control);
class QueryMemory {
public:
    /// `may_continue` decides whether the query may continue. It is called once in 64 allocations or 1 MiB, with the number
    /// of bytes allocated minus freed since construction.
    using MayContinue = bool (*)(void* argument, std::int64_t taken_bytes);

    QueryMemory(MayContinue may_continue, void* argument);
    ~QueryMemory();
    QueryMemory(const QueryMemory&) = delete;
    QueryMemory& operator=(const QueryMemory&) = delete;

    /// Called by SQLite's allocator: true if `bytes` more bytes may be allocated.
    bool allows(std::int64_t bytes);
    void release(std::int64_t bytes) { taken_bytes_ -= bytes; }

private:
    MayContinue may_continue_;
    void* argument_;
    std::int64_t taken_bytes_ = 0;
    std::int64_t checked_at_bytes_ = 0;
    int since_check_ = 0;
    bool has_ended_ = false;
};

}  // namespace snapviewer
