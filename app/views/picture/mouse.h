#pragma once

#include <imgui.h>

namespace snapviewer {

/// What one notch of the wheel leaves of the extent in view.
inline constexpr double k_zoom_per_notch = 0.85;

/// How far the mouse moves before a click becomes a drag.
inline constexpr float k_drag_threshold_px = 4.0F;

/// Whether the item drawn last was clicked and let go of: not dragged, and not the second half of a double click, which has
/// a meaning of its own.
inline bool is_item_let_go(bool is_dragging) {
    return ImGui::IsItemDeactivated() && !is_dragging && ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] == 1;
}

}  // namespace snapviewer
