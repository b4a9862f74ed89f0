#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "app/features/compare/compare.h"
#include "app/features/compare/state.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"
#include "core/analysis/compare/curves.h"
#include "core/mesh/mesh.h"
#include "core/timeline/view.h"
#include "core/trace/stack_table.h"
#include "render/timeline_canvas.h"
#include "render/timeline_renderer.h"

namespace snapviewer {

/// The timeline of B for a comparison. Looks like the timeline of B's own file, but every tick is at its aligned position on
/// the axis of A, so that both timelines can be shown one above the other. Immutable and thread-safe.
class ComparedPicture {
public:
    ComparedPicture(std::shared_ptr<const ShownComparison> shown, mesh::Mesh mesh, std::shared_ptr<const kinds::Kinds> kinds,
                    std::vector<std::uint32_t> stack_colours_of_b);

    const ShownComparison& shown() const { return *shown_; }
    const Timeline& timeline_a() const { return shown_->task.a.analyses().timeline(); }
    const Timeline& timeline_b() const { return shown_->task.b.analyses().timeline(); }
    const kinds::Kinds* kinds_of_b() const {
        return kinds_.get();
    }  ///< kinds of B's allocations; null unless they were requested
    /// Colours of B's stacks, as in stack_colours(). A stack that A also has gets the colour it has in A, even if B was
    /// recorded in another folder.
    const std::vector<std::uint32_t>& stack_colours_of_b() const { return stack_colours_of_b_; }
    /// The axis that A and B share, as computed by the alignment.
    const compare::SharedAxis& axis() const { return axis_; }

    /// The mesh of B. Shared with the renderer that uploads it to the GPU.
    const std::shared_ptr<const mesh::Mesh>& mesh() const { return mesh_; }
    /// Tables for drawing B with Axis::time: the times in them are B's positions on the shared axis. The tables refer to
    /// memory of this object.
    render::TimelineTables tables() const;
    /// Converts a view of the shared axis to a view of B, with B shifted right by `later_steps`.
    View view_of_b(const View& shared, double later_steps) const;
    /// The allocation of B that is drawn at `offset_bytes` in a column of pixels of the shared axis, or nullopt.
    std::optional<PlacedAllocation> pick_b(double x_begin, double x_end, double offset_bytes, double later_steps) const;
    /// Limits for zooming and panning both timelines. They begin at 0; add `moved.begin()` to get positions on the shared
    /// axis.
    ViewLimits limits(const compare::SharedAxis& moved) const;

private:
    std::span<const std::uint64_t> tick_steps() const;

    std::shared_ptr<const ShownComparison> shown_;
    std::shared_ptr<const mesh::Mesh> mesh_;
    std::shared_ptr<const kinds::Kinds> kinds_;
    std::vector<std::uint32_t> stack_colours_of_b_;
    compare::SharedAxis axis_;
    double parts_ = 1;                  ///< number of distinct positions in one step of A
    std::vector<std::int64_t> places_;  ///< positions of B's ticks since the beginning of B, in 1 / parts_ steps of A
};

using ComparedPictureOutcome = Result<std::shared_ptr<const ComparedPicture>>;
/// The work that computes the timeline of B. Takes as long as it did when B was opened alone.
Job<ComparedPictureOutcome>::Work make_pictures_job(std::shared_ptr<const ShownComparison> shown, bool with_kinds);

/// The work that computes the curves of A and B after the user shifted B: milliseconds.
Job<compare::AlignedCurves>::Work make_curves_job(std::shared_ptr<const ShownComparison> shown, double later_steps);

/// The canvases of both timelines. A canvas is null if its timeline cannot be drawn now.
struct ComparedCanvases {
    render::TimelineCanvas* a = nullptr;
    const mesh::Mesh* mesh_a = nullptr;  ///< mesh that the canvas of A shows
    AllocationId selected_a;
    bool a_has_nothing_lit = false;  ///< true if A has no highlighted allocations while B has some
    render::TimelineCanvas* b = nullptr;
};

/// Zooms out to the full extent of both timelines.
void fit_compared_pictures(ComparedPicturesState& state);

/// Height of each of the two timelines, in pixels, if the comparison is `room_px` high. 0 if there is too little room for
/// timelines.
float compared_picture_height(float room_px);

/// Draws the curves and timelines of a comparison in the width of the current window, and handles mouse drag, wheel, hover
/// and click. A drag with Alt held shifts B alone.
void draw_compared_pictures(ComparedPicturesState& state, const ShownComparison& shown, const ComparedCanvases& canvases,
                            float picture_height_px, Requests& requests);

/// The timelines in the comparison window while it is open. A's timeline is another view of the data that the main window
/// has already uploaded to the GPU; B's timeline is computed and uploaded for the comparison. Main thread, with the OpenGL
/// context current.
class ComparedPictures : public Feature {
public:
    /// Both arguments must outlive this object.
    ComparedPictures(Session& session, Pictures& pictures) : session_(session), pictures_(pictures) {}

    /// Must be called once per frame, after the comparison is up to date.
    void update() override;
    /// Frees the GPU memory of both timelines until the next update().
    void park() override;
    bool is_busy() const override;
    /// True if a timeline is drawn at reduced detail, see TimelineCanvas.
    bool is_coarse() const { return (canvas_a_ && canvas_a_->is_coarse()) || (canvas_b_ && canvas_b_->is_coarse()); }
    void connect(Switchboard& board) override;

private:
    /// The canvases with which both timelines can be drawn in this frame.
    ComparedCanvases canvases();
    struct Wanted {
        OpenDevice a, b;
        bool with_kinds = false;
        bool operator==(const Wanted&) const = default;
    };
    void forget();
    void take();
    void send();
    void continue_sending();
    void follow_hand();
    std::vector<std::uint32_t> colours_of_b() const;
    bool has_colours() const;
    void fail(const Error& error);

    Session& session_;
    Pictures& pictures_;
    std::unique_ptr<render::TimelineCanvas> canvas_a_, canvas_b_;
    std::optional<Wanted> wanted_;  ///< inputs for which the timelines were last requested
    Job<ComparedPictureOutcome> making_;
    Job<compare::AlignedCurves> moving_;
    double moving_to_ = 0;  ///< shift of B in the curves that are shown or being computed, in steps of A
    const ComparedPicture* sent_ = nullptr;
    std::shared_ptr<const Emphasis> lit_;  ///< the highlight with which B was last drawn
    mesh::ColourBy coloured_by_ = mesh::ColourBy::stack;
    mesh::ThemeVariant ground_ = mesh::ThemeVariant::dark;
};

}  // namespace snapviewer
