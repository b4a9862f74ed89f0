#pragma once

#include <imgui.h>

#include <functional>
#include <memory>
#include <string>

#include "app/system/offscreen_context.h"
#include "app/ui/frame_painter.h"
#include "app/ui/theme.h"
#include "core/base/result.h"
#include "render/framebuffer.h"

namespace snapviewer::picture {

/// Returns the SVG that replaces the canvas of a timeline in this rectangle.
using SvgCanvas = std::function<std::string(ImVec2 min, ImVec2 max)>;

/// Converts the last drawn frame to an SVG of the same size with this background: filled shapes become paths, thin lines
/// strokes, and letters text. `title` is for screen readers. Shapes must have been drawn with use_plain_edges(). Call it
/// before the next frame begins; main thread only.
std::string svg_of_frame(const ImDrawData& frame, ImU32 ground, const std::string& title, const SvgCanvas& canvas);

/// Draws shapes without anti-aliasing from the next frame on, because the viewer of an SVG smooths edges itself.
void use_plain_edges();

/// RAII: ImGui without a window system, for pictures and benchmarks. Only one may exist at a time, and an OpenGL context
/// must be current during its whole life.
class OffscreenInterface {
public:
    OffscreenInterface(int width_px, int height_px, const Look& look = {});
    ~OffscreenInterface();
    OffscreenInterface(const OffscreenInterface&) = delete;
    OffscreenInterface& operator=(const OffscreenInterface&) = delete;

    /// Draws everything between begin_frame() and end_frame() on the target. Nothing else may draw on the target between two
    /// frames.
    void begin_frame();
    void end_frame(const render::OffscreenFramebuffer& target);

private:
    FramePainter painter_;
};

/// True if a picture with this file name is written as an SVG; all others are PNGs.
bool is_svg_path(const std::string& path);

/// Everything that is needed to draw pictures without a window. The order of the members is the order of construction.
struct OffscreenRenderer {
    OffscreenContext context;
    render::OffscreenFramebuffer target;
    std::unique_ptr<OffscreenInterface> interface;

    /// Fails with ErrorCode::environment without OpenGL. With `for_svg`, draws shapes without anti-aliasing.
    static Result<OffscreenRenderer> create(int width_px, int height_px, const Look& look = {}, bool for_svg = false);

    /// Draws one frame: a caption at `left`, and below it, from `top` on, the output of `draw`, which is called within an
    /// ImGui window.
    void draw_captioned(float left, const std::string& caption,
                        const std::function<void(float top, ImVec2 size)>& draw) const;
    /// Writes the last frame, atomically, as a PNG or an SVG.
    Status write_png(const std::string& path) const;
    Status write_svg(const std::string& path, const std::string& title, const SvgCanvas& canvas) const;
};

}  // namespace snapviewer::picture
