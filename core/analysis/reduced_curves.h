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

namespace snapviewer {

/// What is kept of a recording so that its totals can be laid over others when it is no longer in memory.
struct ReducedTotals {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> points;  ///< step of the axis and bytes, by step
    std::uint64_t step_count = 0;                                 ///< the length of the axis
    Steps steps;                                                  ///< training steps, if there are any
};

/// The highest moment of each of at most `most` equally long stretches. O(ticks).
ReducedTotals reduce_totals(const Timeline& timeline, Steps steps, std::size_t most);

/// The totals of several recordings in columns of equal width over the axis of the first: the most in each, and nothing
/// where a recording does not reach. Training steps that belong together lie over each other.
struct ReducedCurves {
    double begin = 0;  ///< of the axis, in steps of the first
    double end = 1;
    std::vector<std::vector<std::optional<std::uint64_t>>> totals;  ///< parallel to the recordings
    std::vector<Alignment::Method> methods;                         ///< parallel to them; how each lies over the first
    std::vector<std::pair<double, double>> first_steps;             ///< the complete training steps of the first
};

/// O(points of all).
ReducedCurves align_reduced(std::span<const std::shared_ptr<const ReducedTotals>> recordings, std::size_t columns);

}  // namespace snapviewer
