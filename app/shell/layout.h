#pragma once

#include <imgui.h>

#include <optional>

#include "app/features/preferences.h"
#include "app/ui/panel.h"

namespace snapviewer {

/// Where the panels are. An area of no size is not shown.
struct Layout {
    Area timeline, map, details, query, status;
    Area details_splitter, map_splitter, query_splitter;
};

/// Splits what the menu bar leaves of the window by the fractions in the settings. Without a document there is only the
/// timeline's area, for the welcome, and the status line.
///
/// The details reach from the menu to the status line; below the timeline lie the address map and the query pane.
/// `query_line_px` is its height while it is but one line, otherwise 0. `details_fraction` takes the place of the one in the
/// settings.
Layout compute_layout(const Area& work, float status_height, float splitter_width, bool has_document,
                      const Preferences& settings, bool shows_address_map, float query_line_px = 0,
                      std::optional<float> details_fraction = {});

/// Draws the splitters and moves the fractions while they are dragged, that of the details in `details_fraction`.
void draw_splitters(const Layout& layout, const Area& work, Preferences& settings, float& details_fraction);

}  // namespace snapviewer
