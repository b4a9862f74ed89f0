#pragma once

#include "app/features/timeline/projection.h"
#include "core/analysis/steps/steps.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Draws the training steps over a timeline of their device, as bands with a name at the upper edge. The name of an
/// incomplete step is in a hollow box. Boundaries are dashed if they were inferred instead of recorded by the profiler.
/// O(steps in view).
void draw_step_bands(const Projection& canvas, const Timeline& timeline, Axis axis, const Steps& steps);

}  // namespace snapviewer
