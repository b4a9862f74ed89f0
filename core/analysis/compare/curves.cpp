#include "core/analysis/compare/curves.h"

#include <algorithm>
#include <ranges>

namespace snapviewer::compare {
namespace {

using TotalColumns = std::vector<std::optional<std::uint64_t>>;

/// Divides an axis from `begin` to `end` into columns of equal width and returns the largest total in each; nullopt where no
/// total reaches. There are `count` totals, and each holds until the next one. `place_of(i)` returns the place of a total on
/// the axis and must be monotonic, `total_of(i)` its bytes.
template <typename PlaceOf, typename TotalOf>
TotalColumns total_columns(std::size_t count, std::size_t columns, double begin, double end, const PlaceOf& place_of,
                           const TotalOf& total_of) {
    TotalColumns most(columns);
    std::size_t at = columns;
    for (std::uint32_t i = 0; i < count; ++i) {
        const double place = (place_of(i) - begin) / (end - begin) * static_cast<double>(columns);
        const auto column = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(columns - 1)));
        while (i > 0 && at < column) most[++at] = total_of(i - 1);
        at = column;
        most[at] = std::max(most[at].value_or(0), total_of(i));
    }
    return most;
}

/// Interpolates linearly from one side of the points to the other. Before the first and after the last point, extrapolates
/// with the average scale between these two points.
template <typename From, typename To>
double along(const std::vector<std::pair<double, double>>& points, double value, From from, To to) {
    const auto& first = points.front();
    const auto& last = points.back();
    const double scale = (to(last) - to(first)) / (from(last) - from(first));
    if (value <= from(first)) return to(first) + (value - from(first)) * scale;
    if (value >= from(last)) return to(last) + (value - from(last)) * scale;
    const auto next = std::ranges::upper_bound(points, value, {}, from);
    const auto& before = *(next - 1);
    return to(before) + (value - from(before)) / (from(*next) - from(before)) * (to(*next) - to(before));
}

double of_a(const std::pair<double, double>& point) { return point.first; }
double of_b(const std::pair<double, double>& point) { return point.second; }

}  // namespace

SharedAxis::SharedAxis(const Alignment& alignment, std::uint64_t steps_a, std::uint64_t steps_b)
    : whole_a_(static_cast<double>(std::max<std::uint64_t>(steps_a, 1))),
      whole_b_(static_cast<double>(std::max<std::uint64_t>(steps_b, 1))) {
    for (const auto& [a, b] : alignment.points) {
        const std::pair<double, double> point(static_cast<double>(a), static_cast<double>(b));
        if (points_.empty() || (point.first > points_.back().first && point.second > points_.back().second))
            points_.push_back(point);
    }
    if (alignment.method == Alignment::Method::start || points_.size() < 2) points_ = {{0, 0}, {whole_a_, whole_b_}};
    begin_ = std::min(0.0, place_of_b(0));
    end_ = std::max(whole_a_, place_of_b(whole_b_));
}

double SharedAxis::place_of_b(double step_b) const { return along(points_, step_b, of_b, of_a); }
double SharedAxis::step_of_b(double place) const { return along(points_, place, of_a, of_b); }

AlignedCurves align_curves(const Timeline& a, const Timeline& b, const Alignment& alignment, std::size_t columns) {
    const SharedAxis axis(alignment, a.step_count(), b.step_count());
    const auto columns_of = [&](const Timeline& timeline, const auto& place_of_step) {
        return total_columns(
            timeline.tick_count(), columns, axis.begin(), axis.end(),
            [&](std::uint32_t tick) { return place_of_step(static_cast<double>(timeline.step_of_tick(tick))); },
            [&](std::uint32_t tick) { return timeline.total_after_tick(tick); });
    };
    AlignedCurves curves{axis.begin(),
                         axis.end(),
                         columns_of(a, [](double step) { return step; }),
                         columns_of(b, [&](double step) { return axis.place_of_b(step); }),
                         {}};
    for (const auto& [step, other] : alignment.steps) {
        curves.step_edges.push_back(static_cast<double>(step->begin_step));
        curves.step_edges.push_back(static_cast<double>(step->end_step));
    }
    std::ranges::sort(curves.step_edges);
    curves.step_edges.erase(std::unique(curves.step_edges.begin(), curves.step_edges.end()), curves.step_edges.end());
    return curves;
}

namespace {

/// Minimum of a wall-clock time (in 2001). Clocks below it count from another origin, such as the start of the machine.
constexpr std::int64_t k_min_wall_clock_us = 1'000'000'000'000'000;

/// The largest totals of a recording in the columns of `curves`. `place_of` returns the place of a point on the axis.
template <typename PlaceOf>
TotalColumns columns_of(const ReducedTotals& recording, const ReducedCurves& curves, std::size_t columns,
                        const PlaceOf& place_of) {
    return total_columns(
        recording.points.size(), columns, curves.begin, curves.end,
        [&](std::uint32_t i) { return place_of(recording.points[i]); },
        [&](std::uint32_t i) { return recording.points[i].bytes; });
}

bool uses_wall_clock(const ReducedTotals& recording) {
    return !recording.points.empty() && recording.points.front().time_us >= k_min_wall_clock_us;
}

/// Wall-clock time of the first point of a recording, in microseconds. end_us() returns that of the last point.
std::int64_t begin_us(const std::shared_ptr<const ReducedTotals>& recording) { return recording->points.front().time_us; }
std::int64_t end_us(const std::shared_ptr<const ReducedTotals>& recording) { return recording->points.back().time_us; }

}  // namespace

ReducedTotals reduce_totals(const Timeline& timeline, steps::Steps steps, std::size_t most) {
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
    std::vector<SharedAxis> axes;
    for (const auto& each : recordings) {
        const Alignment alignment = align_steps(recordings.front()->steps, each->steps);
        curves.methods.push_back(alignment.method);
        axes.emplace_back(alignment, recordings.front()->step_count, each->step_count);
    }
    curves.begin = std::ranges::min_element(axes, {}, &SharedAxis::begin)->begin();
    curves.end = std::ranges::max_element(axes, {}, &SharedAxis::end)->end();
    for (std::size_t i = 0; i < recordings.size(); ++i) {
        const auto place_of = [&](const ReducedPoint& point) { return axes[i].place_of_b(static_cast<double>(point.step)); };
        curves.totals.push_back(columns_of(*recordings[i], curves, columns, place_of));
    }
    for (const steps::TrainingStep& step : recordings.front()->steps.steps) {
        if (step.is_complete)
            curves.first_steps.emplace_back(static_cast<double>(step.begin_step), static_cast<double>(step.end_step));
    }
    return curves;
}

std::optional<MissingClock> find_missing_clock(ReducedRecordings recordings) {
    for (std::size_t i = 0; i < recordings.size(); ++i) {
        if (!uses_wall_clock(*recordings[i])) return MissingClock{i, std::nullopt};
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

}  // namespace snapviewer::compare
