#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/stack_table.h"

namespace snapviewer {

/// State of the right column that persists between frames. A page is identified by DockRow::id.
struct SidePagesState {
    std::string_view shown;
    std::optional<std::string_view> next;  ///< page to show in the next frame
    AllocationId followed;                 ///< the selected allocation whose page was last brought to the front
};

/// A tab of the window. It contains one open file, or none.
struct TabName {
    std::string name;
    std::string path;             ///< path of the file; empty for a tab without a file
    std::optional<float> loaded;  ///< loading progress from 0 to 1; nullopt if no file is being loaded
};

/// The tabs of this window, for display. The class Tabs (app/shell/tabs.h) updates the entries before every frame.
struct TabStripState {
    std::vector<TabName> tabs;
    std::size_t shown = 0;
    float top = 0, bottom = 0;  ///< vertical extent of the tab strip in the window, as last drawn

    bool has_several() const { return tabs.size() > 1; }
    bool is_at(double y) const { return has_several() && y >= static_cast<double>(top) && y < static_cast<double>(bottom); }
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const TabName& tab : tabs) names.push_back(tab.name);
        return names;
    }
    std::size_t next() const { return (shown + 1) % tabs.size(); }
    std::size_t previous() const { return (shown + tabs.size() - 1) % tabs.size(); }
};

}  // namespace snapviewer
