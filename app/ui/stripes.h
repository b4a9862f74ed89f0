#pragma once

#include <imgui.h>

namespace snapviewer {

/// Draws a rectangle full of slanted lines.
void draw_stripes(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour);

}  // namespace snapviewer
