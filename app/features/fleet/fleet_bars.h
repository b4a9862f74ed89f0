#pragma once

#include <imgui.h>

#include "app/features/fleet/fleet_view.h"
#include "app/features/requests.h"

namespace snapviewer {

/// The colour in which a rank that is not ordinary stands out, as bar and as row; that of the others is the accent's.
ImU32 rank_colour(const ShownRank& rank);

/// A bar a rank: its peak, what it reserved as a line above, what the device has as another; the median across all. Where
/// there are more ranks than pixels, the one that matters most of those in a place. `state` has a fleet.
void draw_fleet_bars(FleetState& state, Requests& requests);

}  // namespace snapviewer
