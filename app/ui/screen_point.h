#pragma once

struct ImVec2;

namespace snapviewer {

/// A point of the window in its pixels, y downwards: ImVec2 for what includes no ImGui. Each becomes the other by itself.
struct ScreenPoint {
    ScreenPoint() = default;
    ScreenPoint(float x_px, float y_px) : x(x_px), y(y_px) {}
    ScreenPoint(const ImVec2& point);
    operator ImVec2() const;

    float x = 0, y = 0;
};

}  // namespace snapviewer
