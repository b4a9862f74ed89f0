#include "core/analysis/reduced_curves.h"

#include <algorithm>

#include "core/analysis/aligned_curves.h"

namespace snapviewer {
namespace {

/// Of each recording its place over the first; the first lies over itself.
std::vector<SharedAxis> shared_axes(std::span<const std::shared_ptr<const ReducedTotals>> recordings,
                                    ReducedCurves& curves) {
    const ReducedTotals& first = *recordings.front();
    std::vector<SharedAxis> axes;
    for (const auto& each : recordings) {
        const Alignment alignment = align_steps(first.steps, each->steps);
        curves.methods.push_back(alignment.method);
        axes.emplace_back(alignment, first.step_count, each->step_count);
    }
    return axes;
}

/// A total holds until the next point.
std::vector<std::optional<std::uint64_t>> columns_of(const ReducedTotals& recording, const SharedAxis& axis,
                                                     const ReducedCurves& curves, std::size_t columns) {
    const auto column_of = [&](std::uint64_t step) {
        const double share = (axis.place_of_b(static_cast<double>(step)) - curves.begin) / (curves.end - curves.begin);
        return static_cast<std::size_t>(
            std::clamp(share * static_cast<double>(columns), 0.0, static_cast<double>(columns - 1)));
    };
    std::vector<std::optional<std::uint64_t>> most(columns);
    std::optional<std::size_t> at;
    std::uint64_t total = 0;
    for (const auto& [step, bytes] : recording.points) {
        const std::size_t column = column_of(step);
        while (at && *at < column) most[++*at] = total;
        at = column;
        total = bytes;
        most[column] = std::max(most[column].value_or(0), total);
    }
    return most;
}

}  // namespace

ReducedTotals reduce_totals(const Timeline& timeline, Steps steps, std::size_t most) {
    ReducedTotals reduced{{}, timeline.step_count(), std::move(steps)};
    const std::uint32_t count = timeline.tick_count();
    const auto ticks_a_point = static_cast<std::uint32_t>((count + most - 1) / most);
    for (std::uint32_t first = 0; first < count; first += ticks_a_point) {
        std::uint32_t highest = first;
        for (std::uint32_t tick = first; tick < std::min(count, first + ticks_a_point); ++tick) {
            if (timeline.total_after_tick(tick) > timeline.total_after_tick(highest)) highest = tick;
        }
        reduced.points.emplace_back(timeline.step_of_tick(highest), timeline.total_after_tick(highest));
    }
    return reduced;
}

ReducedCurves align_reduced(std::span<const std::shared_ptr<const ReducedTotals>> recordings, std::size_t columns) {
    ReducedCurves curves;
    if (recordings.empty()) return curves;
    const std::vector<SharedAxis> axes = shared_axes(recordings, curves);
    curves.begin = std::ranges::min_element(axes, {}, &SharedAxis::begin)->begin();
    curves.end = std::ranges::max_element(axes, {}, &SharedAxis::end)->end();
    for (std::size_t i = 0; i < recordings.size(); ++i)
        curves.totals.push_back(columns_of(*recordings[i], axes[i], curves, columns));
    for (const TrainingStep& step : recordings.front()->steps.steps) {
        if (step.is_complete)
            curves.first_steps.emplace_back(static_cast<double>(step.begin_step), static_cast<double>(step.end_step));
    }
    return curves;
}

}  // namespace snapviewer
