#pragma once

#include "app/features/moments/state.h"
#include "app/features/requests.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The rest of the current window: what came, what went and what stayed between the two moments, by stack. A click on one
/// of the three asks for all of it to stand out, on a row for what that stack has of it.
void draw_moments_view(MomentsState& state, const Timeline& timeline, Requests& requests);

}  // namespace snapviewer
