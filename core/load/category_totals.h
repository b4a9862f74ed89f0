#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/import_log.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The categories that torch.profiler sorts memory into, in the order in which its pictures stack them. The last is what it
/// could not tell.
inline constexpr std::array<std::string_view, 8> k_categories = {
    "Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient", "Autograd detail", "Unknown"};

/// Bytes of every category.
using CategoryTotals = std::array<std::int64_t, k_categories.size()>;

/// Collects the totals of every category over time and makes curves of them. Times may come in any order.
class CategoryCurves {
public:
    /// Totals from `time_us` on.
    void add(std::int64_t time_us, const CategoryTotals& totals);
    std::size_t size() const { return points_.size(); }

    /// Fills a device: a stacked series for each category that is ever above 0, their total, and the edges. What is odd goes
    /// into the log.
    void finish(DeviceTrace& trace, ImportLog& log);

private:
    struct Point {
        std::int64_t time_us;
        CategoryTotals totals;
    };
    void put_in_order(ImportLog& log);
    void drop_impossible(ImportLog& log);

    std::vector<Point> points_;
};

}  // namespace snapviewer
