#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/compare.h"
#include "core/analysis/steps.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The highest moment of a stretch of a recording.
struct ReducedPoint {
    std::uint64_t step = 0;  ///< of the axis
    std::uint64_t bytes = 0;
    std::int64_t time_us = k_no_time;  ///< by the wall clock
};

/// What is kept of a recording so that its totals can be laid over others when it is no longer in memory.
struct ReducedTotals {
    std::vector<ReducedPoint> points;  ///< by step
    std::uint64_t step_count = 0;      ///< the length of the axis
    Steps steps;                       ///< training steps, if there are any
};

/// The highest moment of each of at most `most` equally long stretches. O(ticks).
ReducedTotals reduce_totals(const Timeline& timeline, Steps steps, std::size_t most);

using ReducedRecordings = std::span<const std::shared_ptr<const ReducedTotals>>;

/// The totals of several recordings in columns of equal width over one axis: the most in each, and nothing where a recording
/// does not reach.
struct ReducedCurves {
    double begin = 0;  ///< of the axis: steps of the first, or microseconds since `start_us`
    double end = 1;
    std::optional<std::int64_t> start_us;                           ///< by the wall clock; none on an axis of steps
    std::vector<std::vector<std::optional<std::uint64_t>>> totals;  ///< parallel to the recordings
    std::vector<Alignment::Method> methods;              ///< parallel to them; how the steps of each lie over the first's
    std::vector<std::pair<double, double>> first_steps;  ///< the complete training steps of the first; on an axis of steps
};

/// Over the steps of the first, training steps that belong together over each other. O(points of all).
ReducedCurves align_by_steps(ReducedRecordings recordings, std::size_t columns);

/// Why recordings cannot be laid over each other by the clock.
struct MissingClock {
    std::size_t recording = 0;         ///< tells no times of day, or ended before the other began
    std::optional<std::size_t> other;  ///< none: tells none
};
/// None where the clocks agree as far as can be told: each recording says by the wall clock when it ran, and there is a
/// moment at which all of them did. O(recordings).
std::optional<MissingClock> find_missing_clock(ReducedRecordings recordings);

/// Each where its wall clock says. Without recordings whose clocks agree there is nothing. O(points of all).
ReducedCurves align_by_clock(ReducedRecordings recordings, std::size_t columns);

}  // namespace snapviewer
