#pragma once

#include <functional>
#include <string>
#include <utility>

#include "app/features/app_state.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/ui/feature.h"
#include "core/base/job.h"

namespace snapviewer {

/// Saves what is on the screen as a picture: this program is started once more, as the command line that draws the same, so
/// that the picture has any size and the window goes on meanwhile. A page, which starts no programs, draws it itself. Main
/// thread.
class PictureSaver : public Feature {
public:
    using Draw = std::function<Status(const PictureSpec& spec)>;

    /// `state` outlives this. `draw_here` draws what is on the screen between two parts of a frame.
    PictureSaver(AppState& state, Draw draw_here) : state_(state), draw_here_(std::move(draw_here)) {}

    void save(const SavePicture& asked);
    /// Every frame.
    void update() override;
    bool is_busy() const override { return drawing_.is_busy(); }
    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;

private:
    struct Outcome {
        std::string path;
        std::string left_out;  ///< see left_out_of_render()
        Status status;
    };

    void copy_command(Requests& requests) const;
    void tell(const Outcome& drawn);

    AppState& state_;
    Draw draw_here_;
    Job<Outcome> drawing_;
};

}  // namespace snapviewer
