#pragma once

#include <functional>
#include <string>
#include <utility>

#include "app/features/app_state.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/ui/feature.h"
#include "core/base/job.h"

namespace snapviewer {

/// Saves the current view as an image. Starts a second process of this program with the `render` command that draws the
/// same picture, so that the image can have any size and the window stays responsive. The web build cannot start a process,
/// so it draws the image itself. Main thread.
class PictureSaver : public Feature {
public:
    using Draw = std::function<Status(const PictureSpec& spec)>;

    /// Keeps a reference; `state` must outlive this object. `draw_here` draws the picture in this process, between two
    /// parts of a frame; used only if no process can be started.
    PictureSaver(AppState& state, Draw draw_here) : state_(state), draw_here_(std::move(draw_here)) {}

    void save(const SavePicture& asked);
    /// Called every frame.
    void update() override;
    bool is_busy() const override { return drawing_.is_busy(); }
    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;

private:
    struct Outcome {
        std::string path;
        std::string left_out;  ///< parts of the view that are missing in the image, see left_out_of_render()
        Status status;
    };

    void copy_command(Requests& requests) const;
    void tell(const Outcome& drawn);

    AppState& state_;
    Draw draw_here_;
    Job<Outcome> drawing_;
};

}  // namespace snapviewer
