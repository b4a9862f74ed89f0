#pragma once

#include <imgui.h>

#include <optional>
#include <string>

#include "app/features/compare/compare.h"
#include "app/features/compare/compared_pictures.h"
#include "app/features/compare/state.h"
#include "app/features/requests.h"
#include "app/ui/widgets.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// The colours that distinguish the recordings A and B in all views of the comparison.
ImU32 compared_colour_a();
ImU32 compared_colour_b();

struct AlignedCurvesScene {
    const compare::AlignedCurves& curves;
    std::optional<View> view;      ///< part of the axis that the timelines below show
    std::optional<double> cursor;  ///< position on the axis to mark
    float left_px = 0, right_px = 0;
};

/// Draws the memory totals of two recordings over a common axis, with the boundaries of corresponding training steps. A
/// click requests the moment of A under the mouse.
void draw_aligned_curves(const ShownComparison& shown, const AlignedCurvesScene& scene, Requests& requests);

struct Document;
struct ShownComparison;

/// Draws the window that shows how two recordings differ at their peaks. It replaces the details, so that the timeline stays
/// visible. `file_a` is the path of the open file.
void draw_compare_window(CompareState& state, const std::string& file_a, const Area& area, const ComparedCanvases& canvases,
                         Requests& requests);

}  // namespace snapviewer
