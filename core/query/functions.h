#pragma once

#include <span>
#include <string_view>

struct sqlite3;

namespace snapviewer {

/// Documentation of an SQL function that snapviewer adds to SQLite's own functions.
struct FunctionDoc {
    std::string_view usage;
    std::string_view text;
};

std::span<const FunctionDoc> function_docs();
bool is_our_function(std::string_view name);  ///< True for a function of function_docs(); case-insensitive

/// Registers these functions with `connection`, except regexp(), which create_regexp() registers. Returns an SQLite result
/// code.
int create_functions(sqlite3* connection);

}  // namespace snapviewer

struct sqlite3;

namespace snapviewer {

/// Registers the SQL function regexp(expression, text), which implements `text REGEXP expression`. It uses Expression and
/// ignores case. Only the text of a query can call it; views and triggers in an untrusted attached database cannot. Returns
/// an SQLite result code.
int create_regexp(sqlite3* connection);

}  // namespace snapviewer
