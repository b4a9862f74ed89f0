#pragma once

#include "app/features/growth/state.h"
#include "app/features/timeline/projection.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Draws the two flags of the growth page over the timeline. Their handles are below the time axis and can be dragged.
void draw_generation_flags(GenerationState& state, const Projection& canvas, const Timeline& timeline, Axis axis);

}  // namespace snapviewer
