#pragma once

#include "app/features/series/state.h"
#include "app/ui/request.h"

namespace snapviewer {

/// Draws the allocated memory of all ranks as lines over time, with gaps and flags for full snapshots. A click chooses a
/// rank. A click on a flag asks to open that snapshot and clears `is_open`.
void draw_series_ranks(SeriesState& state, float height_px, Requests& requests);

/// Draws the memory of the chosen rank as stacked layers over the same time range, with reserved memory as a line.
void draw_series_parts(SeriesState& state, float height_px);

}  // namespace snapviewer
