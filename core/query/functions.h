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

/// Registers these functions with `connection`. Only the text of a query can call regexp(expression, text), which implements
/// `text REGEXP expression`; views and triggers in an untrusted attached database cannot. Returns an SQLite result code.
int create_functions(sqlite3* connection);

}  // namespace snapviewer
