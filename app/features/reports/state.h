#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/features/reports/icicle_bars.h"
#include "app/ui/screen_point.h"

namespace snapviewer {

/// View state of one icicle.
struct IcicleViewState {
    IcicleWindow window;
    std::vector<IcicleWindow> zoomed_from;  ///< undo stack of zooms by double click
    std::optional<std::uint32_t> selected;  ///< index of the selected node
    std::optional<IcicleBar> hovered;
    bool shows_root = true;       ///< the root's row must be scrolled into view in the next frame
    std::uint32_t menu_node = 0;  ///< node that the open context menu belongs to
    bool is_dragging = false;
    IcicleWindow pressed_window;  ///< window at the time when the mouse button was pressed
    ScreenPoint min, max;         ///< area of the bars in the last frame
    float row_px = 1;

    double rows_on_screen() const { return static_cast<double>((max.y - min.y) / row_px); }
};

/// View states of the icicles of the open file, and the picture on the screen.
struct IcicleState {
    std::vector<IcicleViewState> views;  ///< view states, parallel to Document::icicles
    std::optional<std::size_t> shown;    ///< index of the icicle on the screen; nullopt for the timeline
};

}  // namespace snapviewer
