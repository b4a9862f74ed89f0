#pragma once

#include <span>
#include <string_view>

struct sqlite3;

namespace snapviewer {

/// A function that queries may use besides SQLite's own.
struct FunctionDoc {
    std::string_view usage;
    std::string_view text;
};

std::span<const FunctionDoc> function_docs();
bool is_our_function(std::string_view name);  ///< in letters of either case

/// Returns an SQLite result code.
int create_functions(sqlite3* connection);

}  // namespace snapviewer
