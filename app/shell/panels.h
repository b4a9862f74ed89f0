#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "app/features/session.h"
#include "app/ui/feature.h"
#include "app/ui/widgets.h"

namespace snapviewer::shell {

/// A value for each area of the window that panels fill.
template <typename Value>
struct PerArea {
    std::array<Value, k_panel_areas> values{};
    Value& operator[](PanelArea area) { return values[static_cast<std::size_t>(area)]; }
    const Value& operator[](PanelArea area) const { return values[static_cast<std::size_t>(area)]; }
};

/// The space that a panel wants. See DockRow::share and DockRow::fixed_height.
struct PanelSize {
    float* share = nullptr;  ///< null if there is no such panel
    float fixed_height_px = 0;
};

/// Areas of the panels and splitters. A panel whose area has no size is hidden.
struct Layout {
    PerArea<Area> panels, splitters;
    Area status;
};

/// Divides the work area, which is the window below the menu bar. The column occupies the full height between menu and
/// status bar; the other panels are below the picture. Without a column the picture is the only panel.
Layout compute_layout(const Area& work, float status_height, float splitter_width, const PerArea<PanelSize>& sizes);

struct TabStripState;

/// Draws the menu, the tabs of the window, the panels and the status bar. Panels store what they need between two frames in
/// `session`; all else that should happen goes into the board's requests. `file_note` follows the name of the file in the
/// status bar, `frame_ms` is the duration of the last frame if the user wants to see it. Returns the work area: the window
/// without menu and tabs.
Area draw_panels(Session& session, Switchboard& board, TabStripState& tabs, const std::string& file_note,
                 std::optional<double> frame_ms);

}  // namespace snapviewer::shell
