#pragma once

#include <imgui.h>

#include "app/features/fleet/fleet_view.h"
#include "app/features/requests.h"

namespace snapviewer {

/// The colour of a rank's bar and row. Outliers have their own colours, all other ranks the accent colour.
ImU32 rank_colour(const ShownRank& rank);

/// Draws a bar for the peak of each rank. Lines above it mark the memory that the rank reserved and the capacity of its
/// device; a line across all bars marks the median. If there are more ranks than pixels, each place shows its most important
/// rank. Precondition: `state` has a fleet.
void draw_fleet_bars(FleetState& state, Requests& requests);

}  // namespace snapviewer
