#pragma once

#include <imgui.h>

#include <cstddef>

#include "app/features/fleet/fleet_view.h"

namespace snapviewer {

/// The colour of the curve of a chosen rank, by its place among those chosen.
ImU32 chosen_rank_colour(std::size_t place);

/// The totals of the chosen ranks as lines over one axis, and where the training steps of the first begin, in the rest of
/// the window. Nothing while none is chosen.
void draw_rank_curves(FleetState& state);
/// What that should have of so much room.
float rank_curves_height(const FleetState& state, float room_px);

}  // namespace snapviewer
