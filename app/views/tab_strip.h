#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/requests.h"

namespace snapviewer {

/// One open file of the window, or the place for one.
struct TabName {
    std::string name;
    std::string path;             ///< empty while nothing is open in it
    std::optional<float> loaded;  ///< how far, while a file is on its way into it
};

/// The files that are open in this window. What is behind the others is told by whoever owns them, before every frame.
struct TabStripState {
    std::vector<TabName> tabs;
    std::size_t shown = 0;
    float top = 0, bottom = 0;  ///< of the strip in the window, as it was drawn last

    bool has_several() const { return tabs.size() > 1; }
    bool is_at(double y) const { return has_several() && y >= static_cast<double>(top) && y < static_cast<double>(bottom); }
    std::size_t next() const { return (shown + 1) % tabs.size(); }
    std::size_t previous() const { return (shown + tabs.size() - 1) % tabs.size(); }
};

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

/// The height of the strip; 0 while it is not shown, because there is but one tab.
float tab_strip_height(const TabStripState& strip);
/// Fills the current window: a tab for each file, as wide as there is room, and a button for another.
void draw_tab_strip(TabStripState& strip, Requests& requests);

}  // namespace snapviewer
