#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/features/compare/compare.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"
#include "core/analysis/compare/curves.h"
#include "core/mesh/mesh.h"
#include "core/timeline/view.h"
#include "core/trace/stack_table.h"
#include "render/timeline_canvas.h"
#include "render/timeline_renderer.h"

namespace snapviewer::compare {

/// The timeline of B for a comparison. Looks like the timeline of B's own file, but every tick is at its aligned position on
/// the axis of A, so that both timelines can be shown one above the other. Immutable and thread-safe.
class ComparedPicture {
public:
    ComparedPicture(std::shared_ptr<const ShownComparison> shown, mesh::Mesh mesh, std::shared_ptr<const kinds::Kinds> kinds,
                    std::vector<std::uint32_t> stack_colours_of_b);

    const ShownComparison& shown() const { return *shown_; }
    const Timeline& timeline_a() const { return shown_->input.a.analyses().timeline(); }
    const Timeline& timeline_b() const { return shown_->input.b.analyses().timeline(); }
    const Timeline& timeline(ComparedSide side) const { return side == ComparedSide::a ? timeline_a() : timeline_b(); }
    /// kinds of B's allocations; null unless they were requested
    const kinds::Kinds* kinds_of_b() const { return kinds_.get(); }
    /// Colours of B's stacks, as in stack_colours(). A stack that A also has gets the colour it has in A, even if B was
    /// recorded in another folder.
    const std::vector<std::uint32_t>& stack_colours_of_b() const { return stack_colours_of_b_; }
    /// The axis that A and B share, as computed by the alignment.
    const SharedAxis& axis() const { return axis_; }

    /// The mesh of B. Shared with the renderer that uploads it to the GPU.
    const std::shared_ptr<const mesh::Mesh>& mesh() const { return mesh_; }
    /// Tables for drawing B with Axis::time: the times in them are B's positions on the shared axis. The tables refer to
    /// memory of this object.
    render::TimelineTables tables() const;
    /// Converts a view of the shared axis to a view of B.
    View view_of_b(const View& shared) const;
    /// The allocation of B that is drawn at `offset_bytes` in a column of pixels of the shared axis, or nullopt.
    std::optional<PlacedAllocation> pick_b(double x_begin, double x_end, double offset_bytes) const;
    /// Limits for zooming and panning both timelines. They begin at 0; add `axis().begin()` to get positions on the shared
    /// axis.
    ViewLimits limits() const;

private:
    std::span<const std::uint64_t> tick_steps() const;

    std::shared_ptr<const ShownComparison> shown_;
    std::shared_ptr<const mesh::Mesh> mesh_;
    std::shared_ptr<const kinds::Kinds> kinds_;
    std::vector<std::uint32_t> stack_colours_of_b_;
    SharedAxis axis_;
    double parts_ = 1;                  ///< number of distinct positions in one step of A
    std::vector<std::int64_t> places_;  ///< positions of B's ticks since the beginning of B, in 1 / parts_ steps of A
};

/// An allocation of A or B.
struct ComparedAllocation {
    ComparedSide side = ComparedSide::a;
    AllocationId id;
    bool operator==(const ComparedAllocation&) const = default;
};

/// State of the two timelines of a comparison that persists between frames. Positions on their axis are steps of A.
struct ComparedPicturesState {
    std::shared_ptr<const ComparedPicture> made;  ///< the timeline of B; null until it is computed
    View view;                                    ///< visible part of both timelines
    std::optional<double> cursor;                 ///< position under the mouse on the shared axis
    std::optional<ComparedAllocation> hovered, chosen;
    bool is_dragging = false;
    View pressed_view;  ///< the view when the mouse button was pressed
    std::string error;  ///< the reason why B cannot be drawn; empty if it can
};

/// The timelines in the comparison window while it is open. A's timeline is another view of the data that the main window
/// has already uploaded to the GPU; B's timeline is computed and uploaded for the comparison. Main thread, with the OpenGL
/// context current.
class ComparedPictures : public Feature {
public:
    /// All arguments must outlive this object.
    ComparedPictures(Session& session, Pictures& pictures, CompareRuns& compare)
        : session_(session), pictures_(pictures), compare_(compare) {}

    /// Must be called once per frame, after the comparison is up to date.
    void update() override;
    /// Frees the GPU memory of both timelines until the next update().
    void park() override;
    bool is_busy() const override;
    /// True if a timeline is drawn at reduced detail, see TimelineCanvas.
    bool is_coarse() const { return (canvas_a_ && canvas_a_->is_coarse()) || (canvas_b_ && canvas_b_->is_coarse()); }
    void connect(Switchboard& board) override;

    const ComparedPicturesState& state() const { return state_; }
    /// The comparison that the pictures belong to.
    const CompareRuns& compare() const { return compare_; }

private:
    /// The inputs of B's timeline.
    struct Wanted {
        OpenDevice a, b;
        bool with_kinds = false;
        bool operator==(const Wanted&) const = default;
    };
    bool shows_a() const;
    bool shows_b() const;
    void forget();
    void take();
    void send();
    void continue_sending();
    void fit();
    /// Draws the curves, and the timelines if they are computed and there is room for them.
    void draw(float room_px, Requests& requests);
    void draw_both(float height_px, Requests& requests);
    void draw_side(ComparedSide side, const Projection& projection);
    void follow_mouse(ComparedSide side, const Projection& projection, Requests& requests);
    void drag(const Projection& projection);
    std::optional<ComparedAllocation> allocation_under(ComparedSide side, const Projection& projection) const;
    std::vector<std::uint32_t> colours_of_b() const;
    bool has_colours() const;
    void fail(const Error& error);

    Session& session_;
    Pictures& pictures_;
    CompareRuns& compare_;
    ComparedPicturesState state_;
    std::unique_ptr<render::TimelineCanvas> canvas_a_, canvas_b_;
    BackgroundTask<std::shared_ptr<const ComparedPicture>, Wanted> making_;
    const ComparedPicture* sent_ = nullptr;
    std::shared_ptr<const Emphasis> sent_highlight_;  ///< the highlight with which B was last drawn
    mesh::ColourBy coloured_by_ = mesh::ColourBy::stack;
    mesh::ThemeVariant ground_ = mesh::ThemeVariant::dark;
};

}  // namespace snapviewer::compare
