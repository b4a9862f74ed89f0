#pragma once

#include <sqlite3.h>

#include <memory>
#include <new>

#include "core/base/context.h"

/// SQLite's own handles with an owner each, and the limits that every connection has. For what speaks to SQLite itself;
/// everybody else uses SqliteFile or Database.
namespace snapviewer {

/// Closes a connection once its statements are finalised.
struct CloseConnection {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
using SqliteConnection = std::unique_ptr<sqlite3, CloseConnection>;

/// Finalises a statement.
struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using SqliteStatement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

/// Runs a callback of SQLite, through which no exception may pass. Returns SQLITE_NOMEM for a lack of memory,
/// SQLITE_INTERRUPT for a Failure and SQLITE_ERROR for any other exception.
template <typename Call>
int sqlite_status_of(Call call) noexcept {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        return SQLITE_NOMEM;
    } catch (const Failure&) {
        return SQLITE_INTERRUPT;
    } catch (...) {
        return SQLITE_ERROR;
    }
}

/// Wraps a callback for SQLite in sqlite_status_of().
template <auto call>
struct SqliteCallback;

/// A callback that returns SQLite's code, as of a virtual table or a file.
template <typename... Arguments, int (*call)(Arguments...)>
struct SqliteCallback<call> {
    static int run(Arguments... arguments) noexcept {
        return sqlite_status_of([&] { return call(arguments...); });
    }
};

/// An SQL function.
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

/// The wrapped callback, as a pointer to a function.
template <auto call>
inline constexpr auto sqlite_callback = &SqliteCallback<call>::run;

/// What one statement, and one value of it, may ask for.
struct SqliteLimits {
    int value_bytes = 0;  ///< the longest text or blob, a row included
    int columns = 0;      ///< of a table or a result
};

/// Sets them, and those that are the same for everybody: deep expressions, long programs, triggers that start triggers,
/// further databases.
void set_limits(sqlite3* connection, const SqliteLimits& limits);

}  // namespace snapviewer
