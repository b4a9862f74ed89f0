#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/compare.h"

namespace snapviewer {

/// A common axis for two recordings A and B. Its unit is a step of A. Corresponding training steps of A and B lie at the
/// same place; what lies before and after them has the same scale. Without corresponding steps, each recording is stretched
/// over the whole axis. The user can shift B along the axis.
class SharedAxis {
public:
    /// `steps_a` and `steps_b` are the lengths of the two recordings, each in steps of its own axis.
    SharedAxis(const Alignment& alignment, std::uint64_t steps_a, std::uint64_t steps_b);
    /// Returns a copy in which B begins `later_steps` steps of A later, or earlier if negative.
    SharedAxis moved(double later_steps) const;

    double begin() const { return begin_; }  ///< Left end of the axis; below 0 if B begins before A
    double end() const { return end_; }
    /// Converts a step of B to a place on the common axis. Monotonic: a later step never lies further left.
    double place_of_b(double step_b) const;
    /// Converts a place on the common axis to a step of B; the inverse of place_of_b().
    double step_of_b(double place) const;

private:
    void set_ends();

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

/// Samples both recordings in `columns` columns. B is shifted by `later_steps` steps of A against `alignment`. O(ticks of
/// both).
AlignedCurves align_curves(const Timeline& a, const Timeline& b, const Alignment& alignment, std::size_t columns,
                           double later_steps = 0);

}  // namespace snapviewer
