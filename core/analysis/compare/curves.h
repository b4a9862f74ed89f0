#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/compare/compare.h"
#include "core/analysis/steps/steps.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer::compare {

/// A common axis for two recordings A and B. Its unit is a step of A. Corresponding training steps of A and B lie at the
/// same place; what lies before and after them has the same scale. Without corresponding steps, each recording is stretched
/// over the whole axis.
class SharedAxis {
public:
    /// `steps_a` and `steps_b` are the lengths of the two recordings, each in steps of its own axis.
    SharedAxis(const Alignment& alignment, std::uint64_t steps_a, std::uint64_t steps_b);

    double begin() const { return begin_; }  ///< Left end of the axis; below 0 if B begins before A
    double end() const { return end_; }
    /// Converts a step of B to a place on the common axis. Monotonic: a later step never lies further left.
    double place_of_b(double step_b) const;
    /// Converts a place on the common axis to a step of B; the inverse of place_of_b().
    double step_of_b(double place) const;

private:
    /// Pairs (step of A, step of B) that lie at the same place; at least two, ascending in both.
    std::vector<std::pair<double, double>> points_;
    double whole_a_ = 1;  ///< Length of A, at least 1
    double whole_b_ = 1;
    double begin_ = 0;
    double end_ = 1;
};

/// The memory totals of two recordings, sampled in columns of equal width over the common axis. Each value is the maximum
/// within its column, or nullopt where the recording does not reach.
struct AlignedCurves {
    double begin = 0;  ///< Left end of the common axis, in steps of A
    double end = 1;
    std::vector<std::optional<std::uint64_t>> a;
    std::vector<std::optional<std::uint64_t>> b;
    std::vector<double> step_edges;  ///< Boundaries of corresponding training steps, in steps of A
};

/// Samples both recordings in `columns` columns. O(ticks of both).
AlignedCurves align_curves(const Timeline& a, const Timeline& b, const Alignment& alignment, std::size_t columns);

/// The moment with the highest total within a stretch of a recording.
struct ReducedPoint {
    std::uint64_t step = 0;  ///< Position on the step axis of the timeline
    std::uint64_t bytes = 0;
    std::int64_t time_us = k_no_time;  ///< Time in microseconds by the recorder's clock, or k_no_time
};

/// A summary of a recording's totals. It allows a comparison with other recordings after the recording has left memory.
struct ReducedTotals {
    std::vector<ReducedPoint> points;  ///< Points sorted by step
    std::uint64_t step_count = 0;      ///< Length of the step axis
    steps::Steps steps;                ///< Training steps of the recording; empty if it has none
};

/// Summarizes the totals as at most `most` points, each the highest moment of one of equally long stretches. O(ticks).
ReducedTotals reduce_totals(const Timeline& timeline, steps::Steps steps, std::size_t most);

using ReducedRecordings = std::span<const std::shared_ptr<const ReducedTotals>>;

/// The totals of several recordings over one axis, in columns of equal width. A column holds the maximum total, or nullopt
/// if the recording does not reach it.
struct ReducedCurves {
    double begin = 0;  ///< Left end of the axis, in steps of the first recording or in microseconds since `start_us`
    double end = 1;
    std::optional<std::int64_t> start_us;  ///< Wall-clock time of the left end in microseconds, or nullopt for a step axis
    std::vector<std::vector<std::optional<std::uint64_t>>> totals;  ///< Maximum total in bytes by recording and column
    /// How the steps of each recording are aligned with those of the first, parallel to the recordings
    std::vector<Alignment::Method> methods;
    /// Begin and end of the complete training steps of the first recording; empty for a clock axis
    std::vector<std::pair<double, double>> first_steps;
};

/// Aligns recordings over the step axis of the first one, so that corresponding training steps lie over each other. O(points
/// of all).
ReducedCurves align_by_steps(ReducedRecordings recordings, std::size_t columns);

/// The reason why recordings cannot be aligned by the clock.
struct MissingClock {
    /// Index of a recording without wall-clock times, or of the recording that ended before `other` began
    std::size_t recording = 0;
    /// Index of the recording that began later; nullopt if `recording` has no wall-clock times
    std::optional<std::size_t> other;
};
/// Checks whether recordings can be aligned by the clock. Returns nullopt if every recording has wall-clock times and at
/// least one moment lies in all of them. O(recordings).
std::optional<MissingClock> find_missing_clock(ReducedRecordings recordings);

/// Aligns recordings by their wall clocks. The result is empty if find_missing_clock() reports a problem or there are no
/// recordings. O(points of all).
ReducedCurves align_by_clock(ReducedRecordings recordings, std::size_t columns);

}  // namespace snapviewer::compare
