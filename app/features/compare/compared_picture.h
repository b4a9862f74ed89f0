#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/features/compare/compare_tasks.h"
#include "core/analysis/compare/curves.h"
#include "core/mesh/mesh.h"
#include "core/timeline/view.h"
#include "render/timeline_tables.h"

namespace snapviewer {

/// The timeline of B for a comparison. Looks like the timeline of B's own file, but every tick is at its aligned position on
/// the axis of A, so that both timelines can be shown one above the other. Immutable and thread-safe.
class ComparedPicture {
public:
    ComparedPicture(std::shared_ptr<const ShownComparison> shown, Mesh mesh, std::shared_ptr<const Kinds> kinds,
                    std::vector<std::uint32_t> stack_colours_of_b);

    const ShownComparison& shown() const { return *shown_; }
    const Timeline& timeline_a() const { return shown_->task.a.analyses().timeline(); }
    const Timeline& timeline_b() const { return shown_->task.b.analyses().timeline(); }
    const Kinds* kinds_of_b() const { return kinds_.get(); }  ///< kinds of B's allocations; null unless they were requested
    /// Colours of B's stacks, as in stack_colours(). A stack that A also has gets the colour it has in A, even if B was
    /// recorded in another folder.
    const std::vector<std::uint32_t>& stack_colours_of_b() const { return stack_colours_of_b_; }
    /// The axis that A and B share, as computed by the alignment.
    const SharedAxis& axis() const { return axis_; }

    /// The mesh of B. Shared with the renderer that uploads it to the GPU.
    const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
    /// Tables for drawing B with Axis::time, which draws drops as vertical lines. The times in them are B's positions on the
    /// shared axis. They refer to memory of this object.
    TimelineTables tables() const;
    /// Converts a view of the shared axis to a view of B, with B shifted right by `later_steps`.
    View view_of_b(const View& shared, double later_steps) const;
    /// The allocation of B that is drawn at `offset_bytes` in a column of pixels of the shared axis, or nullopt.
    std::optional<PlacedAllocation> pick_b(double x_begin, double x_end, double offset_bytes, double later_steps) const;
    /// Limits for zooming and panning both timelines. They begin at 0; add `moved.begin()` to get positions on the shared
    /// axis.
    ViewLimits limits(const SharedAxis& moved) const;

private:
    std::span<const std::uint64_t> tick_steps() const;

    std::shared_ptr<const ShownComparison> shown_;
    std::shared_ptr<const Mesh> mesh_;
    std::shared_ptr<const Kinds> kinds_;
    std::vector<std::uint32_t> stack_colours_of_b_;
    SharedAxis axis_;
    double parts_ = 1;                  ///< number of distinct positions in one step of A
    std::vector<std::int64_t> places_;  ///< positions of B's ticks since the beginning of B, in 1 / parts_ steps of A
};

using ComparedPictureOutcome = Result<std::shared_ptr<const ComparedPicture>>;
/// The work that computes the timeline of B. Takes as long as it did when B was opened alone.
Job<ComparedPictureOutcome>::Work make_pictures_job(std::shared_ptr<const ShownComparison> shown, bool with_kinds);

/// The work that computes the curves of A and B after the user shifted B: milliseconds.
Job<AlignedCurves>::Work make_curves_job(std::shared_ptr<const ShownComparison> shown, double later_steps);

}  // namespace snapviewer
