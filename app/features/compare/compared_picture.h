#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/features/compare/compare_tasks.h"
#include "core/analysis/aligned_curves.h"
#include "core/mesh/mesh.h"
#include "core/timeline/view.h"
#include "render/timeline_tables.h"

namespace snapviewer {

/// B's picture for a comparison: what its own recording looks like, with every tick where the alignment has it on the axis
/// of A, so that both can be seen under one another. Immutable. Any thread.
class ComparedPicture {
public:
    ComparedPicture(std::shared_ptr<const ShownComparison> shown, Mesh mesh, std::shared_ptr<const Kinds> kinds,
                    std::vector<std::uint32_t> stack_colours_of_b);

    const ShownComparison& shown() const { return *shown_; }
    const Timeline& timeline_a() const { return shown_->task.a.analyses().timeline(); }
    const Timeline& timeline_b() const { return shown_->task.b.analyses().timeline(); }
    const Kinds* kinds_of_b() const { return kinds_.get(); }  ///< null unless they were asked for
    /// As stack_colours() gives them, but what A has, too, in A's colour, whatever folder it came from there.
    const std::vector<std::uint32_t>& stack_colours_of_b() const { return stack_colours_of_b_; }
    /// As the alignment has it.
    const SharedAxis& axis() const { return axis_; }

    /// Shared by whoever sends it to the graphics card.
    const std::shared_ptr<const Mesh>& mesh() const { return mesh_; }
    /// To be drawn on Axis::time, whose places they give: drops are vertical there. Refers to this.
    TimelineTables tables() const;
    /// Which part of these places a stretch of the shared axis is, with B so many steps later.
    View view_of_b(const View& shared, double later_steps) const;
    /// What of B is drawn in a column of pixels of the shared axis.
    std::optional<PlacedAllocation> pick_b(double x_begin, double x_end, double offset_bytes, double later_steps) const;
    /// How far both can be seen together, from where either begins. Moved by `moved.begin()`, for limits begin at 0.
    ViewLimits limits(const SharedAxis& moved) const;

private:
    std::span<const std::uint64_t> tick_steps() const;

    std::shared_ptr<const ShownComparison> shown_;
    std::shared_ptr<const Mesh> mesh_;
    std::shared_ptr<const Kinds> kinds_;
    std::vector<std::uint32_t> stack_colours_of_b_;
    SharedAxis axis_;
    double parts_ = 1;                  ///< of a step of A that are told apart
    std::vector<std::int64_t> places_;  ///< of ticks, in such parts, since B's beginning
};

using ComparedPictureOutcome = Result<std::shared_ptr<const ComparedPicture>>;
/// As long as making the picture of B took when it was opened alone.
Job<ComparedPictureOutcome>::Work make_pictures_job(std::shared_ptr<const ShownComparison> shown, bool with_kinds);

/// The curves of both with B moved by hand: milliseconds.
Job<AlignedCurves>::Work make_curves_job(std::shared_ptr<const ShownComparison> shown, double later_steps);

}  // namespace snapviewer
