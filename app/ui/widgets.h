#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/state_parts.h"
#include "app/ui/toasts.h"

namespace snapviewer {

/// Adds an invisible ImGui item that reacts to clicks and returns whether it was clicked. The item is at least one pixel
/// wide and high, because ImGui aborts on a button without width or height, which occurs in very small windows.
bool click_area(const char* id, const ImVec2& size);

/// Draws a five-pointed star as high as a letter: filled for a saved item, otherwise as an outline.
void draw_star(ImDrawList* list, ImVec2 middle, bool is_hovered, bool is_filled);

/// A button with a star on it, as high as the other buttons of its line. Returns true if it was clicked.
bool star_button(const char* id, bool is_filled);

/// A button that is highlighted while `is_on`. Reports its rectangle as `rect` and shows `doc`, unless it is empty, as its
/// tooltip. Returns true if it was clicked.
bool toggle_button(const std::string& words, bool is_on, const std::string& rect, const std::string& doc,
                   ImVec2 size = {0, 0});

/// Adds an item that resizes the areas on its two sides. `is_vertical` if they are side by side. Returns the movement of the
/// mouse across it in this frame while the user drags it, else nullopt.
std::optional<float> splitter(const char* id, ImVec2 size, const std::string& rect, bool is_vertical);

/// Draws a rectangle full of slanted lines.
void draw_stripes(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour);

/// A rectangle in window coordinates.
struct Area {
    ImVec2 pos, size;
};

/// Begins a panel that fills an area; it has no title bar and cannot be moved. Always call ImGui::End() afterwards.
bool begin_panel(const char* name, const Area& area, ImGuiWindowFlags flags = 0);
/// Begins a panel that can have the keyboard focus. It takes the focus if `next` is this pane, and then resets `next`. Sets
/// `focused` if it has the focus.
bool begin_focusable_panel(const char* name, const Area& area, Pane pane, std::optional<Pane>& next, Pane& focused,
                           ImGuiWindowFlags flags = 0);

/// Begins a window in the area of a panel; its close button and Esc clear `is_open`. Always call ImGui::End() afterwards.
bool begin_docked_window(const char* name, const Area& area, bool& is_open);

/// Begins a window above the panels; its close button and Esc clear `is_open`. Always call ImGui::End() afterwards.
bool begin_floating_window(const char* name, bool& is_open, ImGuiWindowFlags flags = 0);

/// True if a docked or floating window has the keyboard focus. Esc then only closes this window.
bool window_has_keyboard();

enum class TabClick : std::uint8_t { none, show, close };
/// Contents and state of one tab in a tab strip.
struct TabLook {
    std::string name;
    std::string tooltip;        ///< Tooltip of the tab
    std::string close_tooltip;  ///< Tooltip of the close button
    bool is_shown = false;
    bool is_path = false;              ///< Whether the name is a path: a long one is cut in its middle, not at its end
    std::optional<float> loaded = {};  ///< Loading progress from 0 to 1, shown as a bar at the bottom
};
/// Draws a tab of this size at ImGui's cursor. Reports its rectangle as `rect` and that of its close button as `cross_rect`.
TabClick draw_tab(const TabLook& look, ImVec2 size, const std::string& rect, const std::string& cross_rect);

/// The path of a file to save: `file` with another extension, with `suffix` added if that is `file` itself.
std::string path_to_save(const std::string& file, const char* extension, const char* suffix = ".rows");

/// Draws the end of a popup that saves a file: the field for its path, and the button, which closes the popup. Returns true
/// if the button was clicked.
bool draw_save_fields(std::string& path, const char* path_rect, const char* button_rect);

/// Draws the toasts above everything else, centred at the lower edge of an area; the newest is at the bottom.
void draw_toasts(const Toasts& toasts, ImVec2 area_min, ImVec2 area_max);

}  // namespace snapviewer
