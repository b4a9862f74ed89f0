#pragma once

#include <imgui.h>

#include <optional>
#include <string>

#include "app/features/timeline/projection.h"

namespace snapviewer {

/// A line over the picture that stands on a foot below the axis, by which the mouse moves it.
struct AxisFoot {
    std::string name;     ///< of the ImGui item, and of the reported rectangle of the foot
    std::string tooltip;  ///< while the mouse is over the foot
    double x = 0;         ///< on the axis; out of view it stands at the side where it is, so that it can be fetched
    float thickness_px = 1;
};

/// Draws it. Gives the pixel, left of the picture's right edge, to which it is being dragged.
std::optional<float> draw_axis_foot(const AxisFoot& foot, const Projection& canvas);
/// Where such a line stands on the screen.
float px_of_foot(double x, const Projection& canvas);

}  // namespace snapviewer
