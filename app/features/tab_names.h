#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace snapviewer
