#pragma once

#include <span>
#include <string_view>

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

}  // namespace snapviewer

struct sqlite3;

namespace snapviewer {

/// Whether one of SQLite's own functions may be called by a query or by a view of a stranger's database. SQLite looks at the
/// clock between the steps of a query, never inside of a function.
enum class FunctionVerdict {
    bounded,   ///< its time grows with the lengths of what it is given and gives, which are limited
    replaced,  ///< by one of bounded_functions.h, which looks at the clock or refuses what is too much
    refused,   ///< it may take a time that nothing limits, or do what is not reading
};

/// One of SQLite's own, and what is thought of it.
struct BuiltinFunction {
    std::string_view name;  ///< in small letters
    FunctionVerdict verdict;
};

/// All functions of SQLite 3.40 to 3.50. One that is not listed is refused; a test fails on any of the linked SQLite that
/// nobody has thought about.
std::span<const BuiltinFunction> builtin_functions();

/// Whether the verdict about a function, in letters of either case, lets it be called.
bool may_call(std::string_view function);

/// Makes a connection refuse the others, for which nothing else decides what it may do ("not authorized to use function").
void refuse_unbounded_functions(sqlite3* connection);

/// Takes SQLite's modules away whose tables keep more than rows (full text, trees) or tell of its insides: their functions
/// and searches look at no clock. Of a file with such a table the plain tables can be read. To be done before a connection
/// gets modules of ours.
void drop_foreign_modules(sqlite3* connection);

}  // namespace snapviewer

struct sqlite3;

namespace snapviewer {

class SqliteControl;

/// SQLite looks at the clock between the steps of a query, never inside of a function, and some of its own take a time that
/// grows with the product of two lengths. These take their place: instr, replace, trim, ltrim, rtrim, like and glob, with
/// the same results, that end when the query has to, and those of bounded_printf.h and guarded_functions.h.
/// builtin_functions.h knows all functions. `control` must live as long as the connection. Returns an SQLite result code.
int create_bounded_functions(sqlite3* connection, SqliteControl& control);

/// Whether a text is like a pattern, as SQLite's LIKE (any run of characters: %, one: _, case of ASCII letters does not
/// matter, `escape` before a character takes it as it is; 0: none) or GLOB (*, ?, [a-z], [^a-z]) has it. O(text x pattern)
/// at worst; false, too, where `control` ended it.
bool is_like(std::string_view text, std::string_view pattern, char32_t escape, SqliteControl& control);
bool is_glob(std::string_view text, std::string_view pattern, SqliteControl& control);

}  // namespace snapviewer
