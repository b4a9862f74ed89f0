#include "app/ui/screen_point.h"

#include <imgui.h>

namespace snapviewer {

ScreenPoint::ScreenPoint(const ImVec2& point) : x(point.x), y(point.y) {}

ScreenPoint::operator ImVec2() const { return {x, y}; }

}  // namespace snapviewer
