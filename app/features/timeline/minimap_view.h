#pragma once

#include <imgui.h>

#include "app/features/timeline/state.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// Height of the strip with the gap below it; 0 where the panel is too low for one.
float minimap_height(float panel_height);

/// Draws the totals of the whole recording from `pos` on, and in it the stretch in view as a window: its edges and itself
/// can be dragged, a click beside it brings that place into its middle, a double click shows all. Changes `view`.
void draw_minimap(MinimapState& state, const Timeline& timeline, Axis axis, const ViewLimits& limits, View& view, ImVec2 pos,
                  ImVec2 size);

}  // namespace snapviewer
