#include "core/analysis/reduced_curves.h"

#include <algorithm>
#include <ranges>

#include "core/analysis/aligned_curves.h"

namespace snapviewer {
namespace {

/// Minimum of a wall-clock time (in 2001). Clocks below it count from another origin, such as the start of the machine.
constexpr std::int64_t k_least_wall_clock_us = 1'000'000'000'000'000;

/// The shared axis of each recording with the first one; the first recording is aligned with itself.
std::vector<SharedAxis> shared_axes(ReducedRecordings recordings, ReducedCurves& curves) {
    const ReducedTotals& first = *recordings.front();
    std::vector<SharedAxis> axes;
    for (const auto& each : recordings) {
        const Alignment alignment = align_steps(first.steps, each->steps);
        curves.methods.push_back(alignment.method);
        axes.emplace_back(alignment, first.step_count, each->step_count);
    }
    return axes;
}

/// The maximum total in each column. A total holds until the next point. `place_of` returns the position of a point on the
/// axis and must be monotonic.
template <typename PlaceOf>
std::vector<std::optional<std::uint64_t>> columns_of(const ReducedTotals& recording, const ReducedCurves& curves,
                                                     std::size_t columns, PlaceOf place_of) {
    const auto column_of = [&](const ReducedPoint& point) {
        const double share = (place_of(point) - curves.begin) / (curves.end - curves.begin);
        return static_cast<std::size_t>(
            std::clamp(share * static_cast<double>(columns), 0.0, static_cast<double>(columns - 1)));
    };
    std::vector<std::optional<std::uint64_t>> most(columns);
    std::optional<std::size_t> at;
    std::uint64_t total = 0;
    for (const ReducedPoint& point : recording.points) {
        const std::size_t column = column_of(point);
        while (at && *at < column) most[++*at] = total;
        at = column;
        total = point.bytes;
        most[column] = std::max(most[column].value_or(0), total);
    }
    return most;
}

bool tells_wall_clock(const ReducedTotals& recording) {
    return !recording.points.empty() && recording.points.front().time_us >= k_least_wall_clock_us;
}

/// Wall-clock time of the first point of a recording, in microseconds. end_us() returns that of the last point.
std::int64_t begin_us(const std::shared_ptr<const ReducedTotals>& recording) { return recording->points.front().time_us; }
std::int64_t end_us(const std::shared_ptr<const ReducedTotals>& recording) { return recording->points.back().time_us; }

}  // namespace

ReducedTotals reduce_totals(const Timeline& timeline, Steps steps, std::size_t most) {
    ReducedTotals reduced{{}, timeline.step_count(), std::move(steps)};
    const bool has_clock = timeline.has_times() && timeline.start_time_us() != k_no_time;
    const std::uint32_t count = timeline.tick_count();
    const auto ticks_a_point = static_cast<std::uint32_t>((count + most - 1) / most);
    for (std::uint32_t first = 0; first < count; first += ticks_a_point) {
        std::uint32_t highest = first;
        for (std::uint32_t tick = first; tick < std::min(count, first + ticks_a_point); ++tick) {
            if (timeline.total_after_tick(tick) > timeline.total_after_tick(highest)) highest = tick;
        }
        const std::int64_t time_us = has_clock ? timeline.start_time_us() + timeline.tick_times_us()[highest] : k_no_time;
        reduced.points.push_back({timeline.step_of_tick(highest), timeline.total_after_tick(highest), time_us});
    }
    return reduced;
}

ReducedCurves align_by_steps(ReducedRecordings recordings, std::size_t columns) {
    ReducedCurves curves;
    if (recordings.empty()) return curves;
    const std::vector<SharedAxis> axes = shared_axes(recordings, curves);
    curves.begin = std::ranges::min_element(axes, {}, &SharedAxis::begin)->begin();
    curves.end = std::ranges::max_element(axes, {}, &SharedAxis::end)->end();
    for (std::size_t i = 0; i < recordings.size(); ++i) {
        const auto place_of = [&](const ReducedPoint& point) { return axes[i].place_of_b(static_cast<double>(point.step)); };
        curves.totals.push_back(columns_of(*recordings[i], curves, columns, place_of));
    }
    for (const TrainingStep& step : recordings.front()->steps.steps) {
        if (step.is_complete)
            curves.first_steps.emplace_back(static_cast<double>(step.begin_step), static_cast<double>(step.end_step));
    }
    return curves;
}

std::optional<MissingClock> find_missing_clock(ReducedRecordings recordings) {
    for (std::size_t i = 0; i < recordings.size(); ++i) {
        if (!tells_wall_clock(*recordings[i])) return MissingClock{i, std::nullopt};
    }
    if (recordings.empty()) return std::nullopt;
    const auto first_to_end = std::ranges::min_element(recordings, {}, end_us);
    const auto last_to_begin = std::ranges::max_element(recordings, {}, begin_us);
    if (begin_us(*last_to_begin) <= end_us(*first_to_end)) return std::nullopt;
    return MissingClock{static_cast<std::size_t>(first_to_end - recordings.begin()),
                        static_cast<std::size_t>(last_to_begin - recordings.begin())};
}

ReducedCurves align_by_clock(ReducedRecordings recordings, std::size_t columns) {
    ReducedCurves curves;
    if (recordings.empty() || find_missing_clock(recordings)) return curves;
    const std::int64_t start_us = std::ranges::min(recordings | std::views::transform(begin_us));
    const auto place_of = [start_us](const ReducedPoint& point) { return static_cast<double>(point.time_us - start_us); };
    curves.start_us = start_us;
    curves.end = std::max(1.0, static_cast<double>(std::ranges::max(recordings | std::views::transform(end_us)) - start_us));
    for (const auto& recording : recordings) {
        curves.totals.push_back(columns_of(*recording, curves, columns, place_of));
        curves.methods.push_back(Alignment::Method::start);
    }
    return curves;
}

}  // namespace snapviewer
