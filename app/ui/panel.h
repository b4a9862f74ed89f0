#pragma once

#include <imgui.h>

namespace snapviewer {

/// A rectangle of the window.
struct Area {
    ImVec2 pos, size;
};

/// Begins a panel that fills an area: no title bar, not to be moved. Always followed by ImGui::End().
bool begin_panel(const char* name, const Area& area, ImGuiWindowFlags flags = 0);

/// Begins a window in the place of a panel that its cross or Esc closes. Always followed by ImGui::End().
bool begin_docked_window(const char* name, const Area& area, bool& is_open);

/// Begins a window over the panels that its cross or Esc closes. Always followed by ImGui::End().
bool begin_floating_window(const char* name, bool& is_open, ImGuiWindowFlags flags = 0);

/// Whether one of the last two has the keyboard, so that Esc closes it and does nothing else.
bool window_has_keyboard();

}  // namespace snapviewer
