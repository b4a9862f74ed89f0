#include "app/features/files/growing_picture_view.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "app/features/timeline/axes.h"
#include "app/features/timeline/canvas_picture.h"
#include "app/features/timeline/mouse.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/click_area.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

void follow_mouse(GrowingPictureState& state) {
    const ViewLimits limits = view_limits(*state.shown->timeline, Axis::steps);
    if (ImGui::IsItemActivated()) {
        state.pressed_view = state.view;
        state.is_dragging = false;
    }
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, k_drag_threshold_px))
        state.is_dragging = state.is_moved = true;
    if (ImGui::IsItemActive() && state.is_dragging) state.view = dragged_view(state.pressed_view, state.projection, limits);
    if (!ImGui::IsItemHovered()) return;
    if (turned_notches() != 0) {
        state.view = wheeled_view(state.projection, limits);
        state.is_moved = true;
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) fit_growing_picture(state);
}

}  // namespace

std::string growing_picture_text(const GrowingPictureState& state) {
    const Timeline& timeline = *state.shown->timeline;
    const std::string part =
        state.fraction > 0 ? fmt::format("the first {:.0f} %", static_cast<double>(state.fraction) * 100) : "the beginning";
    return fmt::format("the picture shows {}: {}, peak {}", part, counted(timeline.trace().events.size(), "event"),
                       format_bytes(timeline.peak_bytes()));
}

void fit_growing_picture(GrowingPictureState& state) {
    state.view = fit_view(view_limits(*state.shown->timeline, Axis::steps));
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
    click_area("growing picture", {max.x - min.x, max.y - min.y});
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
