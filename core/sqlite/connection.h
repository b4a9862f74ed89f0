#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/base/context.h"
#include "core/base/input_files.h"
#include "core/base/result.h"
#include "core/sqlite/sqlite_file.h"
#include "core/system/files.h"

/// Callbacks, limits and memory of every connection. For code that calls the SQLite API directly; other code uses SqliteFile
/// or Database.
namespace snapviewer::sqlite {

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
///     const QueryMemory memory([](void* control, std::int64_t bytes) { return bytes < k_max_bytes; }, &control);
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

/// Lets functions and loops that may take long check whether their query must end.
class SqliteControl {
public:
    /// True if the query must end. Called thousands of times a second.
    virtual bool must_end() = 0;

protected:
    SqliteControl() = default;
    ~SqliteControl() = default;
};

/// True if a query or a view of an untrusted file may call a built-in function of SQLite. SQLite calls its progress handler
/// between the steps of a query, but not within a function. Ignores ASCII case.
bool may_call(std::string_view function);

/// Makes a connection without an authorizer refuse all other functions ("not authorized to use function").
void refuse_other_functions(sqlite3* connection);

/// Removes SQLite's modules for full text, trees and its own statistics, because their functions and searches cannot be
/// stopped. The plain tables of a file with such tables can still be read. Must be called before other modules are added.
void drop_foreign_modules(sqlite3* connection);

/// Replaces the built-in functions whose time grows with the product of two lengths (instr, replace, trim, like, glob,
/// printf with a large width, functions with paths into JSON, and others) or that nest calls for a long path. The
/// replacements have the same results, but return an error if a call could take more than 0.3 s or if the query must end.
/// `control` must outlive the connection. Returns an SQLite result code.
int create_guarded_functions(sqlite3* connection, SqliteControl& control);

/// True if SQLite's LIKE (without ESCAPE) or GLOB matches. Throws std::length_error if that could take more than 0.3 s.
bool is_like(const std::string& text, const std::string& pattern);
bool is_glob(const std::string& text, const std::string& pattern);

/// Returns the name of a file system for SQLite without paths: it opens only files that are open already, read-only, and
/// temporary files. Temporary files, in which SQLite sorts, are in SQLite's own memory and so are counted. A connection must
/// set temp_store = FILE, because SQLite sorts a file piece by piece and can be stopped between two pieces, but sorts memory
/// in one step. Thread-safe.
const char* pathless_vfs();

/// Returns the URI under which SQLite reads a database that is open already. Valid as long as the handle; connections that
/// are open by then can go on. Thread-safe.
std::string uri_of_open_file(const FileHandle& file);

/// The current state of a database that may have journals.
struct CurrentDatabase {
    std::optional<ScratchFile>
        /// A copy of the database with the changes in its journals; nullopt if the journals change nothing.
        copy;
    /// Suffix of a journal that was not read because it is not a regular file, such as "-wal"; else empty.
    std::string left_out;
};

/// Searches for journals beside a database, or beside the target if `path` is a link, and copies the database with their
/// pages applied. SQLite applies them, but sees only the database and its journals: otherwise it would open and delete files
/// that a journal names. Writes nothing but the copy. Returns an error if a journal names another file, as after a change of
/// several databases at once, because only that file says whether the change was finished. Does not check the pages of the
/// copy. Stops within 100 ms of a stop request.
Result<CurrentDatabase> absorb_journals(const std::string& path);

}  // namespace snapviewer::sqlite
