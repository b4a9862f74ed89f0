#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>

#include "app/features/requests.h"
#include "app/features/save_picture/picture_spec.h"
#include "app/features/session.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"
#include "core/mesh/colours.h"

namespace snapviewer::save_picture {

/// Saves the current view as an image. Starts a second process of this program with the `render` command that draws the
/// same picture, so that the image can have any size and the window stays responsive. The web build cannot start a process,
/// so it draws the image itself. Main thread.
class PictureSaver : public Feature {
public:
    using Draw = std::function<Status(const PictureSpec& spec)>;

    /// Keeps a reference; `session` must outlive this object. `draw_here` draws the picture in this process, between two
    /// parts of a frame; used only if no process can be started.
    PictureSaver(Session& session, Draw draw_here) : session_(session), draw_here_(std::move(draw_here)) {}

    /// Called every frame.
    void update() override;
    bool is_busy() const override { return drawing_.is_busy(); }
    void connect(Switchboard& board) override;

private:
    void copy_command(Requests& requests) const;
    void save();
    void report(const Status& drawn);
    void draw_window(Requests& requests);
    void draw_format(const char* words, const char* doc, bool is_svg);

    Session& session_;
    Draw draw_here_;
    bool is_open_ = false;
    std::string path_;               ///< path of the image; named after the open file until the user enters another name
    std::string size_ = "1600x900";  ///< size of the image in pixels
    bool is_svg_ = false;
    std::string saved_path_;  ///< path of the image that is being drawn
    std::string left_out_;    ///< parts of the view that are missing in it, see left_out_of_render()
    BackgroundTask<std::monostate> drawing_;
};

/// Returns why no command can draw the current view, as a sentence; empty if one can.
std::string why_no_render_command(const Session& session);

/// The value of PictureSpec::select for the first allocation in the current view. Precondition: a timeline is on the screen.
std::size_t first_select(const Session& session);

/// Returns the parts of the current view that the command cannot draw, as the end of a sentence; empty if it draws all.
std::string left_out_of_render(const Session& session);

/// Returns the current view as a picture, without `out` and `size`. Precondition: why_no_render_command() is empty.
PictureSpec shown_picture(const Session& session, mesh::ThemeVariant ground);

/// Returns the command that draws the current view, quoted for a shell. It writes picture.png to the working directory.
std::string render_command_line(const Session& session, mesh::ThemeVariant ground);

}  // namespace snapviewer::save_picture
