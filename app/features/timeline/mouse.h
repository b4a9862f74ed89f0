#pragma once

#include <imgui.h>

#include "app/features/timeline/projection.h"
#include "app/features/timeline/timeline_axis.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// How far the mouse moves before a click becomes a drag.
inline constexpr float k_drag_threshold_px = 4.0F;

/// Whether the item drawn last was clicked and let go of: not dragged, and not the second half of a double click, which has
/// a meaning of its own.
inline bool is_item_let_go(bool is_dragging) {
    return ImGui::IsItemDeactivated() && !is_dragging && ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] == 1;
}

/// How far the wheel was turned in this frame; 0 if it was not.
float turned_notches();

/// The view of a projection after the wheel was turned over it: about the mouse, with Shift in bytes alone, with Ctrl in x.
View wheeled_view(const Projection& projection, const ViewLimits& limits);

/// What is in view of a projection while it is dragged, given what was when the button went down.
View dragged_view(const View& pressed, const Projection& projection, const ViewLimits& limits);

}  // namespace snapviewer
