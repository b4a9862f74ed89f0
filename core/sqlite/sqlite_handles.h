#pragma once

#include <sqlite3.h>

#include <memory>
#include <new>

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

/// Wraps a callback for SQLite, through which no exception may pass: a lack of memory becomes SQLITE_NOMEM.
template <auto call>
struct SqliteCallback;

/// A callback of a virtual table.
template <typename... Arguments, int (*call)(Arguments...)>
struct SqliteCallback<call> {
    static int run(Arguments... arguments) noexcept {
        try {
            return call(arguments...);
        } catch (const std::bad_alloc&) {
            return SQLITE_NOMEM;
        }
    }
};

/// An SQL function.
template <void (*call)(sqlite3_context*, int, sqlite3_value**)>
struct SqliteCallback<call> {
    static void run(sqlite3_context* context, int count, sqlite3_value** values) noexcept {
        try {
            call(context, count, values);
        } catch (const std::bad_alloc&) {
            sqlite3_result_error_nomem(context);
        }
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
