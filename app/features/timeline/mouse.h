#pragma once

#include <imgui.h>

#include "app/features/timeline/projection.h"
#include "app/features/timeline/timeline_axis.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// Mouse movement after which a click becomes a drag.
inline constexpr float k_drag_threshold_px = 4.0F;

/// True if the user has just clicked and released the last drawn item. False after a drag, and for the second click of a
/// double click, which has its own meaning.
inline bool is_item_let_go(bool is_dragging) {
    return ImGui::IsItemDeactivated() && !is_dragging && ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] == 1;
}

/// Wheel notches in this frame; 0 if the wheel was not turned.
float turned_notches();

/// Returns the view after a turn of the wheel over it. Zooms about the mouse position; with Shift along bytes only, with
/// Ctrl along x only.
View wheeled_view(const Projection& projection, const ViewLimits& limits);

/// Returns the view during a drag, given the view at the time of the button press.
View dragged_view(const View& pressed, const Projection& projection, const ViewLimits& limits);

}  // namespace snapviewer
