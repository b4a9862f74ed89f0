#pragma once

#include <imgui.h>

namespace snapviewer {

/// Slanted lines over a rectangle.
void draw_stripes(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour);

}  // namespace snapviewer
