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

/// Whether a picture of this name is an SVG; all others are PNGs.
bool is_svg_path(const std::string& path);

/// What pictures are drawn with and on where there is no window, in the order in which it must be made.
struct Studio {
    OffscreenContext context;
    OffscreenFramebuffer target;
    std::unique_ptr<OffscreenInterface> interface;

    /// Fails with ErrorCode::environment without OpenGL. For an SVG shapes are drawn without smoothed edges.
    static Result<Studio> create(int width_px, int height_px, const Look& look = {}, bool for_svg = false);

    /// One frame: a caption that begins at `left`, and below `top` whatever `draw` draws into the window it is called in.
    void draw_captioned(float left, const std::string& caption,
                        const std::function<void(float top, ImVec2 size)>& draw) const;
    /// What was drawn last, replaced only when complete: as a PNG, or as an SVG.
    Status write_png(const std::string& path) const;
    Status write_svg(const std::string& path, const std::string& title, const SvgCanvas& canvas) const;
};

}  // namespace snapviewer
