#pragma once

#include <imgui.h>

#include <functional>
#include <memory>
#include <string>

#include "app/picture/draw_list_svg.h"
#include "app/picture/offscreen_interface.h"
#include "app/system/offscreen_context.h"
#include "core/base/result.h"
#include "render/offscreen_framebuffer.h"

namespace snapviewer {

/// True if a picture with this file name is written as an SVG; all others are PNGs.
bool is_svg_path(const std::string& path);

/// Everything that is needed to draw pictures without a window. The order of the members is the order of construction.
struct Studio {
    OffscreenContext context;
    OffscreenFramebuffer target;
    std::unique_ptr<OffscreenInterface> interface;

    /// Fails with ErrorCode::environment without OpenGL. With `for_svg`, draws shapes without anti-aliasing.
    static Result<Studio> create(int width_px, int height_px, const Look& look = {}, bool for_svg = false);

    /// Draws one frame: a caption at `left`, and below it, from `top` on, the output of `draw`, which is called within an
    /// ImGui window.
    void draw_captioned(float left, const std::string& caption,
                        const std::function<void(float top, ImVec2 size)>& draw) const;
    /// Writes the last frame, atomically, as a PNG or an SVG.
    Status write_png(const std::string& path) const;
    Status write_svg(const std::string& path, const std::string& title, const SvgCanvas& canvas) const;
};

}  // namespace snapviewer
