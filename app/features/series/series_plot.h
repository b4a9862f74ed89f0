#pragma once

#include "app/features/series/state.h"
#include "app/ui/request.h"

namespace snapviewer {

/// The allocated memory of all ranks as lines over the time, with gaps and full snapshots; a click chooses a rank, one on a
/// flag opens a snapshot, and `is_open` is then false.
void draw_series_ranks(SeriesState& state, float height_px, Requests& requests);

/// The memory of the chosen rank as layers over the same time, and what is reserved as a line.
void draw_series_parts(SeriesState& state, float height_px);

}  // namespace snapviewer
