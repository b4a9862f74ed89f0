#pragma once

#include <imgui.h>

#include <optional>

#include "app/features/preferences.h"
#include "app/ui/widgets.h"

namespace snapviewer {

/// Areas of the panels and splitters. A panel whose area has no size is hidden.
struct Layout {
    Area timeline, map, details, query, status;
    Area details_splitter, map_splitter, query_splitter;
};

/// Divides the work area, which is the window below the menu bar, by the fractions in the settings. Without a document only
/// the timeline's area, for the welcome screen, and the status bar exist.
///
/// The details occupy the full height between menu and status bar; the address map and the query pane are below the
/// timeline. `query_line_px` is the height of a query pane that is collapsed to one line, otherwise 0. `details_fraction`
/// overrides the one in the settings.
Layout compute_layout(const Area& work, float status_height, float splitter_width, bool has_document,
                      const Preferences& settings, bool shows_address_map, float query_line_px = 0,
                      std::optional<float> details_fraction = {});

/// Draws the splitters and changes the fractions while one is dragged; the fraction of the details is in `details_fraction`.
void draw_splitters(const Layout& layout, const Area& work, Preferences& settings, float& details_fraction);

}  // namespace snapviewer
