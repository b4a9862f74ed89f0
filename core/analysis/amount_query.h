#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// Builds a readable SQL query for one amount, with the columns `bytes` and `size` (formatted text). `amount` is an SQL
/// expression, `from` a table or a query in parentheses. Only rows that meet all `conditions` count. `end` is appended to
/// the query.
std::string amount_query(std::string_view amount, std::string_view from, const std::vector<std::string>& conditions,
                         std::string_view end = "");

/// Builds a readable SQL query for a table of amounts, largest first. The table has one row for each value of `group`, an
/// SQL expression with its alias, and the columns `bytes`, `size` and `count` (number of rows of `from`). `amount` is an SQL
/// expression, `from` a table or a query in parentheses. Precondition: `conditions` is not empty.
std::string amounts_query(std::string_view group, std::string_view amount, std::string_view from,
                          const std::vector<std::string>& conditions);

}  // namespace snapviewer
