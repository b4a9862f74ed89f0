#pragma once

#include <imgui.h>

#include <optional>

#include "app/features/compare/compare_tasks.h"
#include "app/features/requests.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// The colours of both recordings, wherever they are told apart.
ImU32 compared_colour_a();
ImU32 compared_colour_b();

struct AlignedCurvesScene {
    const AlignedCurves& curves;
    std::optional<View> view;      ///< the part of it that pictures below show
    std::optional<double> cursor;  ///< a place to be marked
    float left_px = 0, right_px = 0;
};

/// The totals of two recordings over one axis, and where training steps of both lie over each other. A click asks for the
/// moment of A under the mouse.
void draw_aligned_curves(const ShownComparison& shown, const AlignedCurvesScene& scene, Requests& requests);

}  // namespace snapviewer
