#pragma once

struct ImVec2;

namespace snapviewer {

/// A point in window pixels, y downwards. Replaces ImVec2 in headers that do not include ImGui; converts implicitly to and
/// from it.
struct ScreenPoint {
    ScreenPoint() = default;
    ScreenPoint(float x_px, float y_px) : x(x_px), y(y_px) {}
    ScreenPoint(const ImVec2& point);
    operator ImVec2() const;

    float x = 0, y = 0;
};

}  // namespace snapviewer
