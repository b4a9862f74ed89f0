#pragma once

#include <imgui.h>

#include <functional>
#include <memory>
#include <string>

#include "app/window/offscreen_context.h"
#include "app/window/offscreen_interface.h"
#include "core/base/result.h"
#include "render/offscreen_framebuffer.h"

namespace snapviewer {

/// What pictures are drawn with and on where there is no window, in the order in which it must be made.
struct Studio {
    OffscreenContext context;
    OffscreenFramebuffer target;
    std::unique_ptr<OffscreenInterface> interface;

    /// Fails with ErrorCode::environment without OpenGL.
    static Result<Studio> create(int width_px, int height_px, const Look& look = {});

    /// One frame: a caption that begins at `left`, and below `top` whatever `draw` draws into the window it is called in.
    void draw_captioned(float left, const std::string& caption,
                        const std::function<void(float top, ImVec2 size)>& draw) const;
    /// What was drawn last as a PNG, replaced only when complete.
    Status write(const std::string& path) const;
};

}  // namespace snapviewer
