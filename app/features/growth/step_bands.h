#pragma once

#include "app/features/timeline/projection.h"
#include "core/analysis/steps.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The training steps over a picture of their device: a band each, named at the upper edge; hollow where the recording does
/// not hold all of it, dashed where it was not the profiler who told them. Cost: the steps in view.
void draw_step_bands(const Projection& canvas, const Timeline& timeline, Axis axis, const Steps& steps);

}  // namespace snapviewer
