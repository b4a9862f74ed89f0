#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/import_log.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Categories into which torch.profiler sorts memory, in the order in which its plots stack them. The last one is for memory
/// that it cannot classify.
inline constexpr std::array<std::string_view, 8> k_categories = {
    "Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient", "Autograd detail", "Unknown"};

/// Bytes of each category at one moment, indexed like k_categories.
using CategoryTotals = std::array<std::int64_t, k_categories.size()>;

/// Collects the totals of every category over time and turns them into curves. Times may be added in any order.
class CategoryCurves {
public:
    /// Adds the totals that apply from `time_us` until the next time.
    void add(std::int64_t time_us, const CategoryTotals& totals);
    std::size_t size() const { return points_.size(); }

    /// Fills `trace` with a stacked series for each category that is ever above 0, a series of their total, and the start
    /// and end time. Reports unsorted times and impossible totals in `log`.
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
