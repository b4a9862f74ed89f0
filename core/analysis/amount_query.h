#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace snapviewer {

/// A query to read that gives one amount: `bytes`, and as `size` the same in words. `amount` is an expression of SQL, `from`
/// a table or a query in brackets; rows that all `conditions` hold for count. `end` is what stands behind them, if anything.
std::string amount_query(std::string_view amount, std::string_view from, const std::vector<std::string>& conditions,
                         std::string_view end = "");

}  // namespace snapviewer
