#pragma once

#include <imgui.h>

namespace snapviewer {

/// An item that takes clicks and draws nothing; whether it was clicked. What comes to no width or height, as anything does
/// in a window that is small enough, is one pixel: ImGui ends the program where a button has none.
bool click_area(const char* id, const ImVec2& size);

}  // namespace snapviewer
