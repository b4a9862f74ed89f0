#pragma once

#include <imgui.h>

namespace snapviewer {

/// Adds an invisible ImGui item that reacts to clicks and returns whether it was clicked. The item is at least one pixel
/// wide and high, because ImGui aborts on a button without width or height, which occurs in very small windows.
bool click_area(const char* id, const ImVec2& size);

}  // namespace snapviewer
