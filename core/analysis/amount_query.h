#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// A query to read that gives one amount: `bytes`, and as `size` the same in words. `amount` is an expression of SQL, `from`
/// a table or a query in brackets; rows that all `conditions` hold for count. `end` is what stands behind them, if anything.
std::string amount_query(std::string_view amount, std::string_view from, const std::vector<std::string>& conditions,
                         std::string_view end = "");

/// A query to read that gives a table of amounts, largest first: a row for each value of `group`, an expression with its
/// name, with `bytes`, `size` and `count`, the number of rows of `from` in it. `amount` and `from` as above; `conditions` is
/// not empty.
std::string amounts_query(std::string_view group, std::string_view amount, std::string_view from,
                          const std::vector<std::string>& conditions);

}  // namespace snapviewer
