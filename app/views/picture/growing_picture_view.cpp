#include "app/views/picture/growing_picture_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/views/picture/axes.h"
#include "app/views/picture/canvas_picture.h"
#include "app/views/picture/mouse.h"
#include "app/window/state_report.h"
#include "app/window/theme.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

ViewLimits limits_of(const Timeline& timeline) {
    ViewLimits limits;
    limits.x_end = static_cast<double>(std::max<std::uint64_t>(timeline.step_count(), 1));
    limits.y_end = static_cast<double>(std::max<std::uint64_t>(timeline.peak_bytes(), 1));
    return limits;
}

void zoom(GrowingPictureState& state, const ViewLimits& limits) {
    const ImGuiIO& io = ImGui::GetIO();
    const float notches = io.MouseWheel != 0 ? io.MouseWheel : (io.KeyShift ? io.MouseWheelH : 0);
    if (notches == 0) return;
    const double factor = std::pow(k_zoom_per_notch, static_cast<double>(notches));
    const Projection& at = state.projection;
    state.view = zoom_view(state.view, at.x_at(io.MousePos.x), at.y_at(io.MousePos.y), io.KeyShift ? 1.0 : factor,
                           io.KeyCtrl ? 1.0 : factor, limits);
    state.is_moved = true;
}

void drag(GrowingPictureState& state, const ViewLimits& limits) {
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, k_drag_threshold_px)) state.is_dragging = state.is_moved = true;
    if (!state.is_dragging) return;
    const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0);
    const View& from = state.pressed_view;
    state.view = pan_view(from, -static_cast<double>(moved.x) / state.projection.width_px() * from.width(),
                          static_cast<double>(moved.y) / state.projection.height_px() * from.height(), limits);
}

void follow_mouse(GrowingPictureState& state) {
    const ViewLimits limits = limits_of(*state.shown->timeline);
    if (ImGui::IsItemActivated()) {
        state.pressed_view = state.view;
        state.is_dragging = false;
    }
    if (ImGui::IsItemActive()) drag(state, limits);
    if (!ImGui::IsItemHovered()) return;
    zoom(state, limits);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) fit_growing_picture(state);
}

}  // namespace

std::string growing_picture_text(const GrowingPictureState& state) {
    const Timeline& timeline = *state.shown->timeline;
    return fmt::format("below, the first {:.0f} % of it: {} events, peak {}", static_cast<double>(state.fraction) * 100,
                       format_count(timeline.trace().events.size()), format_bytes(timeline.peak_bytes()));
}

void fit_growing_picture(GrowingPictureState& state) {
    state.view = fit_view(limits_of(*state.shown->timeline));
    state.is_moved = false;
}

void draw_growing_picture(GrowingPictureState& state, TimelineCanvas& canvas, ImVec2 size) {
    const AxisMargins margins = axis_margins();
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    state.projection = {state.view,
                        {std::floor(pos.x + margins.left), std::floor(pos.y + margins.top)},
                        {std::floor(pos.x + size.x - margins.right), std::floor(pos.y + size.y - margins.bottom)}};
    const ImVec2 min = state.projection.min, max = state.projection.max;
    ImGui::SetCursorScreenPos(min);
    ImGui::InvisibleButton("growing picture", {max.x - min.x, max.y - min.y});
    report_rect("load_picture");
    follow_mouse(state);
    state.projection.view = state.view;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_canvas(list, canvas, state.projection, Axis::steps, AllocationId::none());
    draw_axes(list, state.projection, Axis::steps, std::nullopt);
    ImGui::SetCursorScreenPos(pos);
    ImGui::Dummy(size);
}

}  // namespace snapviewer
