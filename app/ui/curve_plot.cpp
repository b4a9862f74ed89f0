#include "app/ui/curve_plot.h"

#include "app/ui/click_area.h"
#include "app/ui/theme.h"

namespace snapviewer {

CurvePlot begin_curve_plot(const char* id, float height_px, std::size_t columns, std::uint64_t top_bytes, bool& is_clicked,
                           float left_px, float right_px) {
    constexpr double k_room = 1.06;
    CurvePlot plot;
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    plot.min = {pos.x + left_px, pos.y};
    plot.max = {pos.x + ImGui::GetContentRegionAvail().x - right_px, pos.y + scaled(height_px)};
    ImGui::SetCursorScreenPos(plot.min);
    plot.columns = columns;
    plot.top_bytes = k_room * static_cast<double>(std::max<std::uint64_t>(top_bytes, 1));
    is_clicked = click_area(id, {plot.max.x - plot.min.x, plot.max.y - plot.min.y});
    ImGui::GetWindowDrawList()->AddRectFilled(plot.min, plot.max, palette().canvas, scaled(3));
    return plot;
}

void draw_curve_points(std::span<const ImVec2> points, ImU32 colour) {
    ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, scaled(1.5F));
}

void draw_column_line(const CurvePlot& plot, float x_px, ImU32 colour) {
    ImGui::GetWindowDrawList()->AddLine({x_px, plot.min.y}, {x_px, plot.max.y}, colour, scaled(1));
}

}  // namespace snapviewer
