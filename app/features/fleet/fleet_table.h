#pragma once

#include "app/features/fleet/fleet_view.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Draws the table of ranks and the field that filters it. A click on a header sorts. Precondition: `state` has a fleet.
/// O(rows on the screen) per frame.
void draw_fleet_table(FleetState& state, Requests& requests);

}  // namespace snapviewer
