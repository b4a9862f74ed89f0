#pragma once

#include <imgui.h>

#include "app/jobs/compare_tasks.h"
#include "app/state/requests.h"

namespace snapviewer {

/// The colours of both recordings, wherever they are told apart.
ImU32 compared_colour_a();
ImU32 compared_colour_b();

/// The totals of two recordings over one axis, and where training steps of both lie over each other. A click asks for the
/// moment of A under the mouse.
void draw_aligned_curves(const ShownComparison& shown, Requests& requests);

}  // namespace snapviewer
