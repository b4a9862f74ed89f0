#pragma once

#include "app/features/growth/state.h"
#include "app/features/timeline/projection.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The flags over a picture of their timeline, their feet below the axis, where they can be taken and moved.
void draw_generation_flags(GenerationState& state, const Projection& canvas, const Timeline& timeline, Axis axis);

}  // namespace snapviewer
