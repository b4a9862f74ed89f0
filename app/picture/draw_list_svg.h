#pragma once

#include <imgui.h>

#include <functional>
#include <string>

namespace snapviewer {

/// What stands where the window shows the canvas of a timeline, as SVG.
using SvgCanvas = std::function<std::string(ImVec2 min, ImVec2 max)>;

/// A frame that was drawn as an SVG of its size, on a ground of this colour: fills as paths, thin lines as strokes, letters
/// as text. `title` is for who reads it aloud. Shapes must have been drawn without smoothed edges, see
/// use_plain_edges(). Call before the next frame begins; main thread only.
std::string svg_of_frame(const ImDrawData& frame, ImU32 ground, const std::string& title, const SvgCanvas& canvas);

/// From the next frame on, shapes are drawn as they are; whoever shows them smooths their edges.
void use_plain_edges();

}  // namespace snapviewer
