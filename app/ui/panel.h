#pragma once

#include <imgui.h>

namespace snapviewer {

/// A rectangle in window coordinates.
struct Area {
    ImVec2 pos, size;
};

/// Begins a panel that fills an area; it has no title bar and cannot be moved. Always call ImGui::End() afterwards.
bool begin_panel(const char* name, const Area& area, ImGuiWindowFlags flags = 0);

/// Begins a window in the area of a panel; its close button and Esc clear `is_open`. Always call ImGui::End() afterwards.
bool begin_docked_window(const char* name, const Area& area, bool& is_open);

/// Begins a window above the panels; its close button and Esc clear `is_open`. Always call ImGui::End() afterwards.
bool begin_floating_window(const char* name, bool& is_open, ImGuiWindowFlags flags = 0);

/// True if a docked or floating window has the keyboard focus. Esc then only closes this window.
bool window_has_keyboard();

}  // namespace snapviewer
