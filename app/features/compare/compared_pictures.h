#pragma once

#include <memory>
#include <optional>

#include "app/features/app_state.h"
#include "app/features/compare/compared_picture.h"
#include "app/features/compare/compared_pictures_view.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The timelines in the comparison window while it is open. A's timeline is another view of the data that the main window
/// has already uploaded to the GPU; B's timeline is computed and uploaded for the comparison. Main thread, with the OpenGL
/// context current.
class ComparedPictures : public Feature {
public:
    /// Both arguments must outlive this object.
    ComparedPictures(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Must be called once per frame, after the comparison is up to date.
    void update() override;
    /// Frees the GPU memory of both timelines until the next update().
    void park() override;
    bool is_busy() const override;
    /// True if a timeline is drawn at reduced detail, see TimelineCanvas.
    bool is_coarse() const { return (canvas_a_ && canvas_a_->is_coarse()) || (canvas_b_ && canvas_b_->is_coarse()); }
    /// The canvases with which both timelines can be drawn in this frame.
    ComparedCanvases canvases();

private:
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

    AppState& state_;
    Pictures& pictures_;
    std::unique_ptr<TimelineCanvas> canvas_a_, canvas_b_;
    std::optional<Wanted> wanted_;  ///< inputs for which the timelines were last requested
    Job<ComparedPictureOutcome> making_;
    Job<AlignedCurves> moving_;
    double moving_to_ = 0;  ///< shift of B in the curves that are shown or being computed, in steps of A
    const ComparedPicture* sent_ = nullptr;
    std::shared_ptr<const Emphasis> lit_;  ///< the highlight with which B was last drawn
    ColourBy coloured_by_ = ColourBy::stack;
    Ground ground_ = Ground::dark;
};

}  // namespace snapviewer
