#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// Makes a readable query for one amount: `bytes`, and `size` as text. `amount` is an SQL expression, `from` a table or a
/// query in brackets. Only rows that meet all `conditions` count. `end` is appended.
std::string amount_query(std::string_view amount, std::string_view from, const std::vector<std::string>& conditions,
                         std::string_view end = "");

/// A query to read that gives a table of amounts, largest first: a row for each value of `group`, an expression with its
/// name, with `bytes`, `size` and `count`, the number of rows of `from` in it. `amount` and `from` as above; `conditions` is
/// not empty.
std::string amounts_query(std::string_view group, std::string_view amount, std::string_view from,
                          const std::vector<std::string>& conditions);

}  // namespace snapviewer
