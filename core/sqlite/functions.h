#pragma once

#include <string>
#include <string_view>

struct sqlite3;

namespace snapviewer {

/// Tells functions and loops of a query that may take long whether the query must end.
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

}  // namespace snapviewer
