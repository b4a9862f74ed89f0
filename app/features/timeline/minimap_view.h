#pragma once

#include <imgui.h>

#include "app/features/timeline/state.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// Height of the strip with the gap below it; 0 if the panel is too low for it.
float minimap_height(float panel_height);

/// Draws the totals of the whole recording from `pos` on, with a window that marks the visible range. The user can drag the
/// window or its edges; a click beside it centres the window there; a double click shows everything. Changes `view`.
void draw_minimap(MinimapState& state, const Timeline& timeline, Axis axis, const ViewLimits& limits, View& view, ImVec2 pos,
                  ImVec2 size);

}  // namespace snapviewer
