#pragma once

#include "app/features/fleet/fleet_view.h"
#include "app/features/requests.h"

namespace snapviewer {

/// The ranks of a fleet, sorted by a click on a header, and a field that filters them. `state` has a fleet. Cost per frame:
/// the rows on the screen.
void draw_fleet_table(FleetState& state, Requests& requests);

}  // namespace snapviewer
