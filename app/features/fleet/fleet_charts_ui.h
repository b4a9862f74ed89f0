#pragma once

#include <imgui.h>

#include <cstddef>

#include "app/features/fleet/fleet.h"
#include "app/features/requests.h"

namespace snapviewer {

/// The colour of a rank's bar and row. Outliers have their own colours, all other ranks the accent colour.
ImU32 rank_colour(const ShownRank& rank);

/// Draws a bar for the peak of each rank. Lines above it mark the memory that the rank reserved and the capacity of its
/// device; a line across all bars marks the median. If there are more ranks than pixels, each place shows its most important
/// rank. Precondition: `state` has a fleet.
void draw_fleet_bars(FleetState& state, Requests& requests);

/// The colour of a chosen rank's curve. `place` is its index among the chosen ranks.
ImU32 chosen_rank_colour(std::size_t place);

/// Draws the memory totals of the chosen ranks as curves over a common axis in the rest of the window, and marks where the
/// training steps of the first rank begin. No-op if no rank is chosen.
void draw_rank_curves(FleetState& state);
/// Height that draw_rank_curves() needs if `room_px` is available.
float rank_curves_height(const FleetState& state, float room_px);

}  // namespace snapviewer
