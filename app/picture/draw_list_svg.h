#pragma once

#include <imgui.h>

#include <functional>
#include <string>

namespace snapviewer {

/// Returns the SVG that replaces the canvas of a timeline in this rectangle.
using SvgCanvas = std::function<std::string(ImVec2 min, ImVec2 max)>;

/// Converts the last drawn frame to an SVG of the same size with this background: filled shapes become paths, thin lines
/// strokes, and letters text. `title` is for screen readers. Shapes must have been drawn with use_plain_edges(). Call it
/// before the next frame begins; main thread only.
std::string svg_of_frame(const ImDrawData& frame, ImU32 ground, const std::string& title, const SvgCanvas& canvas);

/// Draws shapes without anti-aliasing from the next frame on, because the viewer of an SVG smooths edges itself.
void use_plain_edges();

}  // namespace snapviewer
