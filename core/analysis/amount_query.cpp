#include "core/analysis/amount_query.h"

#include <fmt/format.h>

namespace snapviewer {

std::string amount_query(std::string_view amount, std::string_view from, const std::vector<std::string>& conditions,
                         std::string_view end) {
    std::string sql = fmt::format("SELECT {0} AS bytes, human({0}) AS size\nFROM {1}", amount, from);
    if (!conditions.empty()) sql += fmt::format("\nWHERE {}", fmt::join(conditions, "\n  AND "));
    return end.empty() ? sql : fmt::format("{}\n{}", sql, end);
}

std::string amounts_query(std::string_view group, std::string_view amount, std::string_view from,
                          const std::vector<std::string>& conditions) {
    return fmt::format(
        "SELECT {0}, sum({1}) AS bytes, human(sum({1})) AS size, count(*) AS count\nFROM {2}\nWHERE {3}\nGROUP BY 1\n"
        "ORDER BY bytes DESC, 1",
        group, amount, from, fmt::join(conditions, "\n  AND "));
}

}  // namespace snapviewer
