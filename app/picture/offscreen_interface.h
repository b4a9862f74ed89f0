#pragma once

#include "app/ui/frame_painter.h"
#include "app/ui/theme.h"
#include "render/offscreen_framebuffer.h"

namespace snapviewer {

/// ImGui without a window system, for pictures and for measuring. One at a time; needs an OpenGL context to be current from
/// construction to destruction.
class OffscreenInterface {
public:
    OffscreenInterface(int width_px, int height_px, const Look& look = {});
    ~OffscreenInterface();
    OffscreenInterface(const OffscreenInterface&) = delete;
    OffscreenInterface& operator=(const OffscreenInterface&) = delete;

    /// Where the mouse is in the next frame.
    void move_mouse(ImVec2 to);
    /// What ImGui is told between begin and end is drawn on the target, on which nobody else draws between two frames.
    void begin_frame();
    void end_frame(const OffscreenFramebuffer& target);
    /// The frame that was ended last, once more.
    void draw(const OffscreenFramebuffer& target);
    /// What is drawn next is drawn whole, also what did not change.
    void forget() { painter_.forget(); }
    /// From now on pixels of the target may get lost between two frames, as those of a window.
    void doubt_pixels() { pixels_ = Pixels::may_be_kept; }

private:
    FramePainter painter_;
    Pixels pixels_ = Pixels::are_kept;
};

}  // namespace snapviewer
