#pragma once

#include <functional>
#include <string>
#include <utility>

#include "app/features/requests.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/features/save_picture/state.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/base/job.h"
#include "core/mesh/colours.h"

namespace snapviewer {

/// Saves the current view as an image. Starts a second process of this program with the `render` command that draws the
/// same picture, so that the image can have any size and the window stays responsive. The web build cannot start a process,
/// so it draws the image itself. Main thread.
class PictureSaver : public Feature {
public:
    using Draw = std::function<Status(const PictureSpec& spec)>;

    /// Keeps a reference; `state` must outlive this object. `draw_here` draws the picture in this process, between two
    /// parts of a frame; used only if no process can be started.
    PictureSaver(Session& session, Draw draw_here) : session_(session), draw_here_(std::move(draw_here)) {}

    void save(const SavePicture& asked);
    /// Called every frame.
    void update() override;
    bool is_busy() const override { return drawing_.is_busy(); }
    void connect(Switchboard& board) override;

private:
    struct Outcome {
        std::string path;
        std::string left_out;  ///< parts of the view that are missing in the image, see left_out_of_render()
        Status status;
    };

    void copy_command(Requests& requests) const;
    void tell(const Outcome& drawn);

    Session& session_;
    Draw draw_here_;
    Job<Outcome> drawing_;
};

/// Draws the window for saving a picture while it is open. `file` is the open file; the picture is named after it until the
/// user enters another name.
void draw_save_picture_window(SavePictureState& state, const std::string& file, Requests& requests);

/// Returns why no command can draw the current view, as a sentence; empty if one can.
std::string why_no_render_command(const Session& session);

/// Returns the parts of the current view that the command cannot draw, as the end of a sentence; empty if it draws all.
std::string left_out_of_render(const Session& session);

/// Returns the current view as a picture, without `out` and `size`. Precondition: why_no_render_command() is empty.
PictureSpec shown_picture(const Session& session, mesh::ThemeVariant ground);

/// Returns the command that draws the current view, quoted for a shell. It writes picture.png to the working directory.
std::string render_command_line(const Session& session, mesh::ThemeVariant ground);

}  // namespace snapviewer
