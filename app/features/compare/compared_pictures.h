#pragma once

#include <memory>
#include <optional>

#include "app/features/app_state.h"
#include "app/features/compare/compared_picture.h"
#include "app/features/compare/compared_pictures_view.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The pictures in the window of a comparison, while it is open: A's is another view of what the main window has on the
/// graphics card, B's is made and sent for it. Main thread, with the OpenGL context current.
class ComparedPictures : public Feature {
public:
    /// Both outlive this.
    ComparedPictures(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Every frame, after the comparison is up to date.
    void update() override;
    /// Takes them off the graphics card until the next update().
    void park() override;
    bool is_busy() const override;
    /// See TimelineCanvas.
    bool is_coarse() const { return (canvas_a_ && canvas_a_->is_coarse()) || (canvas_b_ && canvas_b_->is_coarse()); }
    /// What is to be drawn now.
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
    std::optional<Wanted> wanted_;  ///< what was asked for last
    Job<ComparedPictureOutcome> making_;
    Job<AlignedCurves> moving_;
    double moving_to_ = 0;  ///< how much later B is in the curves, or is going to be
    const ComparedPicture* sent_ = nullptr;
    std::shared_ptr<const Emphasis> lit_;  ///< as B was drawn last
    ColourBy coloured_by_ = ColourBy::stack;
    Ground ground_ = Ground::dark;
};

}  // namespace snapviewer
