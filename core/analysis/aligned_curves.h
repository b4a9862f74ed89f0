#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/compare.h"

namespace snapviewer {

/// One axis for two recordings, in steps of A's: training steps that belong together lie over each other, and what lies
/// before and after them has their scale. Without such steps each recording takes the whole axis. By hand all of B can be
/// moved from there.
class SharedAxis {
public:
    /// `steps_a` and `steps_b` are the lengths of both, in steps of their axes.
    SharedAxis(const Alignment& alignment, std::uint64_t steps_a, std::uint64_t steps_b);
    /// With B so many steps of A later, or earlier.
    SharedAxis moved(double later_steps) const;

    double begin() const { return begin_; }  ///< below 0 where B begins before A
    double end() const { return end_; }
    /// Where a step of B lies; never falls.
    double place_of_b(double step_b) const;
    /// Which step of B lies at a place: the other way round.
    double step_of_b(double place) const;

private:
    void set_ends();

    std::vector<std::pair<double, double>> points_;  ///< steps of A and B, at least two; both rise
    double whole_a_ = 1;                             ///< lengths, at least 1
    double whole_b_ = 1;
    double begin_ = 0;
    double end_ = 1;
};

/// The totals of two recordings in columns of equal width over their axis: the most in each, and nothing where a recording
/// does not reach.
struct AlignedCurves {
    double begin = 0;  ///< of the axis, in steps of A
    double end = 1;
    std::vector<std::optional<std::uint64_t>> a;
    std::vector<std::optional<std::uint64_t>> b;
    std::vector<double> step_edges;  ///< of training steps that lie over each other, in steps of A
};

/// With B `later_steps` steps of A later than the alignment has it. O(ticks of both).
AlignedCurves align_curves(const Timeline& a, const Timeline& b, const Alignment& alignment, std::size_t columns,
                           double later_steps = 0);

}  // namespace snapviewer
