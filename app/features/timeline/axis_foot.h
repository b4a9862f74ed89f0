#pragma once

#include <imgui.h>

#include <optional>
#include <string>

#include "app/features/timeline/projection.h"

namespace snapviewer {

/// A vertical line over the picture with a handle below the axis, by which the user can drag it.
struct AxisFoot {
    std::string name;     ///< name of the ImGui item and of the reported rectangle of the handle
    std::string tooltip;  ///< tooltip of the handle
    double x = 0;         ///< position on the axis; if it is out of view, the handle is at the nearer edge of the canvas
    float thickness_px = 1;
};

/// Draws the line and its handle. While the user drags it, returns the x coordinate of the mouse in pixels, clamped to the
/// canvas.
std::optional<float> draw_axis_foot(const AxisFoot& foot, const Projection& canvas);
/// Returns the x coordinate in pixels at which draw_axis_foot() draws a line.
float px_of_foot(double x, const Projection& canvas);

}  // namespace snapviewer
