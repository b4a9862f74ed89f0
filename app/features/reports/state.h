#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/features/reports/icicle_bars.h"
#include "app/ui/screen_point.h"

namespace snapviewer {

/// One icicle on the screen between two frames.
struct IcicleViewState {
    IcicleWindow window;
    std::vector<IcicleWindow> zoomed_from;  ///< where a double click came from, for the way back
    std::optional<std::uint32_t> selected;  ///< a node
    std::optional<IcicleBar> hovered;
    bool shows_root = true;       ///< the row of the root is to be brought into view
    std::uint32_t menu_node = 0;  ///< that the menu is of while it is open
    bool is_dragging = false;
    IcicleWindow pressed_window;  ///< when the mouse button went down
    ScreenPoint min, max;         ///< where the bars were drawn last
    float row_px = 1;

    double rows_on_screen() const { return static_cast<double>((max.y - min.y) / row_px); }
};

/// The icicles of the open file, and which picture is on the screen.
struct IcicleState {
    std::vector<IcicleViewState> views;  ///< parallel to Document::icicles
    std::optional<std::size_t> shown;    ///< none: the timeline
};

}  // namespace snapviewer
