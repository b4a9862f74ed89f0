#include "app/features/timeline/mouse.h"

#include <cmath>

namespace snapviewer {

float turned_notches() {
    const ImGuiIO& io = ImGui::GetIO();
    // Some systems report a sideways wheel while Shift is held.
    return io.MouseWheel != 0 ? io.MouseWheel : (io.KeyShift ? io.MouseWheelH : 0);
}

View wheeled_view(const Projection& projection, const ViewLimits& limits) {
    const ImGuiIO& io = ImGui::GetIO();
    const double factor = std::pow(k_zoom_per_notch, static_cast<double>(turned_notches()));
    return zoom_view(projection.view, projection.x_at(io.MousePos.x), projection.y_at(io.MousePos.y),
                     io.KeyShift ? 1.0 : factor, io.KeyCtrl ? 1.0 : factor, limits);
}

View dragged_view(const View& pressed, const Projection& projection, const ViewLimits& limits) {
    const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0);
    return pan_view(pressed, -static_cast<double>(moved.x) / projection.width_px() * pressed.width(),
                    static_cast<double>(moved.y) / projection.height_px() * pressed.height(), limits);
}

}  // namespace snapviewer
