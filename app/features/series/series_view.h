#pragma once

#include "app/features/series/state.h"
#include "app/ui/request.h"

namespace snapviewer {

/// The window with the curves of all ranks, the parts of one of them, and what is found. Nothing while it is closed.
void draw_series_window(SeriesState& state, Requests& requests);

}  // namespace snapviewer
