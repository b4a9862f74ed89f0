#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"
#include "core/query/functions.h"

namespace snapviewer {

/// A suggested name.
struct SqlName {
    std::string text;
    std::string kind;  ///< kind for display: "table", "column of allocations, INTEGER", "function", "parameter"
    std::string doc;
};

/// Completions of the word that ends at a caret, and the start of that word.
struct SqlCompletion {
    std::size_t word_begin = 0;
    std::vector<SqlName> names;  ///< best match first
};

/// Completes the word at the caret, with at most `most` names. After "table." or "alias." come its columns; after "a." or
/// "b." the tables of one of two files; after ":" the parameters; elsewhere the columns of tables in the statement, tables
/// and functions. No completions before a letter is typed, for a complete word, and in strings and comments.
SqlCompletion complete_sql(std::string_view sql, std::size_t caret, std::span<const TableDoc> schema,
                           std::span<const QueryParameter> parameters, std::size_t most);

/// Returns the name at the caret, also if the caret is right after it and its opening parenthesis: a table, a column of a
/// table in the statement, or a function. Functions are named by their usage: "sum(x)".
std::optional<SqlName> sql_name_at(std::string_view sql, std::size_t caret, std::span<const TableDoc> schema);

/// Functions to describe to the user: all of this program, and the best known of SQLite.
std::vector<FunctionDoc> sql_functions();

}  // namespace snapviewer
