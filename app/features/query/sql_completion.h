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

/// A name that a query may go on with.
struct SqlName {
    std::string text;
    std::string kind;  ///< "table", "column of allocations, INTEGER", "function", "parameter"
    std::string doc;
};

/// What the word that ends at a caret may become, and where it begins.
struct SqlCompletion {
    std::size_t word_begin = 0;
    std::vector<SqlName> names;  ///< best first
};

/// After "table." or "alias." its columns, after "a." or "b." of two files their tables; after ":" the parameters; otherwise
/// columns of the tables that the statement names, tables and functions. None where nothing is typed yet, where the word is
/// whole, and in strings and comments.
SqlCompletion complete_sql(std::string_view sql, std::size_t caret, std::span<const TableDoc> schema,
                           std::span<const QueryParameter> parameters, std::size_t most);

/// The name in which a caret stands, or behind it and its opening bracket: a table, a column of one that the statement
/// names, a function. Functions are called as they are used: "sum(x)".
std::optional<SqlName> sql_name_at(std::string_view sql, std::size_t caret, std::span<const TableDoc> schema);

/// Every function that queries may use and that is worth telling of: ours, and the best known of SQLite's.
std::vector<FunctionDoc> sql_functions();

}  // namespace snapviewer
