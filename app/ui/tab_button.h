#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

namespace snapviewer {

enum class TabClick : std::uint8_t { none, show, close };
/// Contents and state of one tab in a tab strip.
struct TabLook {
    std::string name;
    std::string told;        ///< Tooltip of the tab
    std::string close_told;  ///< Tooltip of the close button
    bool is_shown = false;
    bool is_path = false;              ///< Whether the name is a path: a long one is cut in its middle, not at its end
    std::optional<float> loaded = {};  ///< Loading progress from 0 to 1, shown as a bar at the bottom
};
/// Draws a tab of this size at ImGui's cursor. Reports its rectangle as `rect` and that of its close button as `cross_rect`.
TabClick draw_tab(const TabLook& look, ImVec2 size, const std::string& rect, const std::string& cross_rect);

}  // namespace snapviewer
