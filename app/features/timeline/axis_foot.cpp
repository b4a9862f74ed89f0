#include "app/features/timeline/axis_foot.h"

#include <algorithm>
#include <cmath>

#include "app/ui/click_area.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
namespace {

constexpr float k_foot_half_px = 8;
constexpr float k_foot_height_px = 13;

}  // namespace

float px_of_foot(double x, const Projection& canvas) {
    return static_cast<float>(
        std::round(std::clamp(canvas.px_of_x(x), static_cast<double>(canvas.min.x), static_cast<double>(canvas.max.x))));
}

std::optional<float> draw_axis_foot(const AxisFoot& foot, const Projection& canvas) {
    const float x = px_of_foot(foot.x, canvas);
    const float half = scaled(k_foot_half_px);
    const float top = canvas.max.y;
    const float bottom = top + scaled(k_foot_height_px);
    ImGui::SetCursorScreenPos({x - half, top + 1});
    click_area(foot.name.c_str(), {2 * half, bottom - top});
    report_rect(foot.name);
    const bool is_held = ImGui::IsItemActive();
    if (is_held || ImGui::IsItemHovered()) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        item_tooltip(foot.tooltip);
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 colour = is_held ? palette().text : palette().accent;
    list->AddLine({x, canvas.min.y}, {x, top}, colour, scaled(foot.thickness_px));
    list->AddTriangleFilled({x, top}, {x + half, bottom}, {x - half, bottom}, colour);
    if (!is_held || !ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1)) return std::nullopt;
    return std::clamp(ImGui::GetIO().MousePos.x, canvas.min.x, canvas.max.x);
}

}  // namespace snapviewer
