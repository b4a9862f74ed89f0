#pragma once

#include <imgui.h>

#include <optional>

#include "app/features/compare/compare_tasks.h"
#include "app/features/requests.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// The colours that distinguish the recordings A and B in all views of the comparison.
ImU32 compared_colour_a();
ImU32 compared_colour_b();

struct AlignedCurvesScene {
    const AlignedCurves& curves;
    std::optional<View> view;      ///< part of the axis that the timelines below show
    std::optional<double> cursor;  ///< position on the axis to mark
    float left_px = 0, right_px = 0;
};

/// Draws the memory totals of two recordings over a common axis, with the boundaries of corresponding training steps. A
/// click requests the moment of A under the mouse.
void draw_aligned_curves(const ShownComparison& shown, const AlignedCurvesScene& scene, Requests& requests);

}  // namespace snapviewer
