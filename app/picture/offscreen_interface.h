#pragma once

#include "app/ui/frame_painter.h"
#include "app/ui/theme.h"
#include "render/offscreen_framebuffer.h"

namespace snapviewer {

/// RAII: ImGui without a window system, for pictures and benchmarks. Only one may exist at a time, and an OpenGL context
/// must be current during its whole life.
class OffscreenInterface {
public:
    OffscreenInterface(int width_px, int height_px, const Look& look = {});
    ~OffscreenInterface();
    OffscreenInterface(const OffscreenInterface&) = delete;
    OffscreenInterface& operator=(const OffscreenInterface&) = delete;

    /// Sets the position of the mouse in the next frame.
    void move_mouse(ImVec2 to);
    /// Draws everything between begin_frame() and end_frame() on the target. Nothing else may draw on the target between two
    /// frames.
    void begin_frame();
    void end_frame(const OffscreenFramebuffer& target);
    /// Draws the last frame again.
    void draw(const OffscreenFramebuffer& target);
    /// Draws the next frame as a whole, including the unchanged parts.
    void forget() { painter_.forget(); }
    /// Assumes from now on that the target may lose its pixels between two frames, as a window may.
    void doubt_pixels() { pixels_ = Pixels::may_be_kept; }

private:
    FramePainter painter_;
    Pixels pixels_ = Pixels::are_kept;
};

}  // namespace snapviewer
