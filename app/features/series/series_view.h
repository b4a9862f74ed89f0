#pragma once

#include "app/features/series/state.h"
#include "app/ui/request.h"

namespace snapviewer {

/// Draws the window of a series while it is open: the curves of all ranks, the layers of one rank, and the findings.
void draw_series_window(SeriesState& state, Requests& requests);

}  // namespace snapviewer
