#pragma once

#include <cstddef>

#include "app/features/fleet/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// No more than these can be told apart by their colours.
inline constexpr std::size_t k_most_chosen_ranks = 6;

/// Chooses a rank, or lets it go. Beyond the most that can be chosen, the one chosen first goes.
void toggle_chosen(FleetState& state, const RankPlace& place);

/// What a click on a rank does: alone it moves the cursor there, with Ctrl it chooses, on the second of two so that they are
/// compared, and a double click opens.
void press_rank(FleetState& state, const RankPlace& place, Requests& requests);

/// A window over the panels, drawn while it is open: the ranks of a job, which of them stand out and why. Cost per frame:
/// the rows on the screen, and the bars that have a pixel of their own.
void draw_fleet_window(FleetState& state, Requests& requests);

}  // namespace snapviewer
