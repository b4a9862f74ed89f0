#include "core/load/category_totals.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "core/load/limits.h"

namespace snapviewer {
namespace {

/// Earliest time that can be a time of day (2001). Smaller values count from an arbitrary start.
constexpr std::int64_t k_first_wall_clock_us = 1'000'000'000'000'000;

/// Returns the id of the series of a category, such as "timeline_optimizer_state".
std::string id_of(std::string_view category) {
    std::string id = "timeline_" + lower_case(category);
    std::ranges::replace(id, ' ', '_');
    return id;
}

/// Appends a point, unless its value equals that of the last point.
void append(Series& series, std::int64_t time_us, double value) {
    if (!series.values.empty() && series.values.back() == value) return;
    series.time_us.push_back(time_us);
    series.values.push_back(value);
}

}  // namespace

void CategoryCurves::add(std::int64_t time_us, const CategoryTotals& totals) { points_.push_back({time_us, totals}); }

void CategoryCurves::put_in_order(ImportLog& log) {
    if (std::ranges::is_sorted(points_, {}, &Point::time_us)) return;
    std::ranges::stable_sort(points_, {}, &Point::time_us);
    log.add(ImportCode::timeline_unordered, "times of the memory timeline go backwards; its points were sorted");
}

void CategoryCurves::drop_impossible(ImportLog& log) {
    std::uint64_t below = 0;
    std::uint64_t above = 0;
    for (Point& point : points_) {
        for (std::int64_t& bytes : point.totals) {
            below += bytes < 0 ? 1 : 0;
            above += bytes > limits::k_profiled_block_bytes ? 1 : 0;
            if (bytes < 0 || bytes > limits::k_profiled_block_bytes) bytes = 0;
        }
    }
    if (below > 0) {
        log.add(ImportCode::timeline_below_zero,
                "totals of a category below 0, because more is freed than was recorded as allocated; drawn as 0", {}, below);
    }
    if (above > 0)
        log.add(ImportCode::impossible_size, "totals of more than 1 PiB, which no device has; read as 0", {}, above);
}

void CategoryCurves::finish(DeviceTrace& trace, ImportLog& log) {
    put_in_order(log);
    drop_impossible(log);
    std::array<Series, k_categories.size()> categories;
    Series total{"Total", Unit::bytes, {}, {}, SeriesShape::line, CurveRole::allocated, "timeline_total"};
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const auto& [time_us, totals] = points_[i];
        // The last of several totals with the same time applies.
        if (i + 1 < points_.size() && points_[i + 1].time_us == time_us) continue;
        std::int64_t sum = 0;
        for (std::size_t category = 0; category < totals.size(); ++category) {
            append(categories[category], time_us, static_cast<double>(totals[category]));
            sum += totals[category];
        }
        append(total, time_us, static_cast<double>(sum));
    }
    for (std::size_t category = 0; category < categories.size(); ++category) {
        Series& series = categories[category];
        if (std::ranges::all_of(series.values, [](double value) { return value == 0; })) continue;
        series.name = k_categories[category];
        series.id = id_of(k_categories[category]);
        series.shape = SeriesShape::stacked;
        trace.memory_series.push_back(std::move(series));
    }
    trace.memory_series.push_back(std::move(total));
    trace.allocations_are_given = true;
    trace.presentation.prefers_time = true;
    if (points_.empty()) return;
    trace.start_us = points_.front().time_us;
    trace.end_us = std::max(points_.back().time_us, trace.start_us + 1);
    trace.presentation.has_wall_clock = trace.start_us >= k_first_wall_clock_us;
}

}  // namespace snapviewer
