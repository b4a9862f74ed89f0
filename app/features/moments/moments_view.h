#pragma once

#include "app/features/moments/state.h"
#include "app/features/requests.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Fills the rest of the current window with the allocations that came, went or stayed between the two moments, by stack. A
/// click on one of the three kinds asks to highlight all its allocations; a click on a row, only those of its stack.
void draw_moments_view(MomentsState& state, const Timeline& timeline, Requests& requests);

}  // namespace snapviewer
