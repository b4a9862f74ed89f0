#pragma once

#include <string_view>

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
