#include "core/analysis/aligned_curves.h"

#include <algorithm>

namespace snapviewer {
namespace {

using TotalColumns = std::vector<std::optional<std::uint64_t>>;

/// `column_of` gives the column of a step; a total holds until the next tick.
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

}  // namespace

SharedAxis::SharedAxis(const Alignment& alignment, std::uint64_t steps_a, std::uint64_t steps_b) {
    const auto whole_a = static_cast<double>(std::max<std::uint64_t>(steps_a, 1));
    const auto whole_b = static_cast<double>(std::max<std::uint64_t>(steps_b, 1));
    for (const auto& [a, b] : alignment.points) {
        const std::pair<double, double> point(static_cast<double>(a), static_cast<double>(b));
        if (points_.empty() || (point.first > points_.back().first && point.second > points_.back().second))
            points_.push_back(point);
    }
    if (alignment.method == Alignment::Method::start || points_.size() < 2) points_ = {{0, 0}, {whole_a, whole_b}};
    begin_ = std::min(0.0, place_of_b(0));
    end_ = std::max(whole_a, place_of_b(whole_b));
}

double SharedAxis::place_of_b(double step_b) const {
    const auto& [first_a, first_b] = points_.front();
    const auto& [last_a, last_b] = points_.back();
    const double scale = (last_a - first_a) / (last_b - first_b);
    if (step_b <= first_b) return first_a + (step_b - first_b) * scale;
    if (step_b >= last_b) return last_a + (step_b - last_b) * scale;
    const auto next = std::ranges::upper_bound(points_, step_b, {}, &std::pair<double, double>::second);
    const auto& [a, b] = *(next - 1);
    return a + (step_b - b) / (next->second - b) * (next->first - a);
}

AlignedCurves align_curves(const Timeline& a, const Timeline& b, const Alignment& alignment, std::size_t columns) {
    const SharedAxis axis(alignment, a.step_count(), b.step_count());
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
