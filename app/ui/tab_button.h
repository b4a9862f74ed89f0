#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

namespace snapviewer {

enum class TabClick : std::uint8_t { none, show, close };
/// What one tab of a strip looks like.
struct TabLook {
    std::string name;
    std::string told;        ///< by its tooltip
    std::string close_told;  ///< by that of its cross
    bool is_shown = false;
    bool is_path = false;              ///< a long name loses its middle, not its end
    std::optional<float> loaded = {};  ///< how far, as a bar at its foot
};
/// Draws a tab of a size where ImGui's cursor is. Reports its place by a name, and that of its cross by another.
TabClick draw_tab(const TabLook& look, ImVec2 size, const std::string& rect, const std::string& cross_rect);

}  // namespace snapviewer
