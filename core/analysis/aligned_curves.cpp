#include "core/analysis/aligned_curves.h"

#include <algorithm>

namespace snapviewer {
namespace {

using TotalColumns = std::vector<std::optional<std::uint64_t>>;

/// Returns the largest total in each column. `column_of` returns the column of a step. A total holds until the next tick.
template <typename ColumnOf>
TotalColumns total_columns(const Timeline& timeline, std::size_t columns, const ColumnOf& column_of) {
    TotalColumns most(columns);
    const auto steps = timeline.tick_steps();
    std::size_t at = column_of(steps.front());
    std::uint64_t total = timeline.total_after_tick(0);
    most[at] = total;
    for (std::uint32_t tick = 1; tick < timeline.tick_count(); ++tick) {
        for (const std::size_t column = column_of(steps[tick]); at < column;) most[++at] = total;
        total = timeline.total_after_tick(tick);
        most[at] = std::max(*most[at], total);
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
    set_ends();
}

SharedAxis SharedAxis::moved(double later_steps) const {
    SharedAxis axis = *this;
    for (auto& [a, b] : axis.points_) a += later_steps;
    axis.set_ends();
    return axis;
}

void SharedAxis::set_ends() {
    begin_ = std::min(0.0, place_of_b(0));
    end_ = std::max(whole_a_, place_of_b(whole_b_));
}

double SharedAxis::place_of_b(double step_b) const { return along(points_, step_b, of_b, of_a); }
double SharedAxis::step_of_b(double place) const { return along(points_, place, of_a, of_b); }

AlignedCurves align_curves(const Timeline& a, const Timeline& b, const Alignment& alignment, std::size_t columns,
                           double later_steps) {
    const SharedAxis axis = SharedAxis(alignment, a.step_count(), b.step_count()).moved(later_steps);
    const auto column_at = [&](double place) {
        const double column = (place - axis.begin()) / (axis.end() - axis.begin()) * static_cast<double>(columns);
        return static_cast<std::size_t>(std::clamp(column, 0.0, static_cast<double>(columns - 1)));
    };
    AlignedCurves curves{axis.begin(), axis.end(), {}, {}, {}};
    curves.a = total_columns(a, columns, [&](std::uint64_t step) { return column_at(static_cast<double>(step)); });
    curves.b =
        total_columns(b, columns, [&](std::uint64_t step) { return column_at(axis.place_of_b(static_cast<double>(step))); });
    for (const auto& [step, other] : alignment.steps) {
        curves.step_edges.push_back(static_cast<double>(step->begin_step));
        curves.step_edges.push_back(static_cast<double>(step->end_step));
    }
    std::ranges::sort(curves.step_edges);
    curves.step_edges.erase(std::unique(curves.step_edges.begin(), curves.step_edges.end()), curves.step_edges.end());
    return curves;
}

}  // namespace snapviewer
