#pragma once

#include <cstddef>

#include "app/features/fleet/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Maximum number of chosen ranks. More curves could not be distinguished by their colours.
inline constexpr std::size_t k_most_chosen_ranks = 6;

/// Adds a rank to the chosen ones, or removes it. If there are too many, the oldest one is removed.
void toggle_chosen(FleetState& state, const RankPlace& place);

/// Handles a click on a rank. A plain click moves the cursor to it. A click with Ctrl chooses it, and compares the two ranks
/// if it is the second. A double click opens it.
void press_rank(FleetState& state, const RankPlace& place, Requests& requests);

/// Draws the fleet window while it is open: the ranks of a job, and a summary of the unusual ones and their causes. Per
/// frame O(rows on the screen + bars with a pixel of their own).
void draw_fleet_window(FleetState& state, Requests& requests);

}  // namespace snapviewer
