#include "app/ui/chart.h"

#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace snapviewer {
namespace {

/// Minimum distance between two grid lines.
constexpr float k_min_grid_gap_px = 6;

}  // namespace

Chart::Chart(const Setup& setup) : columns_(setup.columns) {
    constexpr double k_room = 1.06;
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    min_ = {pos.x + setup.left_px, pos.y};
    max_ = {pos.x + ImGui::GetContentRegionAvail().x - setup.right_px, pos.y + scaled(setup.height_px)};
    ImGui::SetCursorScreenPos(min_);
    top_bytes_ = k_room * static_cast<double>(std::max<std::uint64_t>(setup.top_bytes, 1));
    grid_line_px_ = min_.x - 2 * scaled(k_min_grid_gap_px);
    is_clicked_ = click_area(setup.id, {max_.x - min_.x, max_.y - min_.y});
    is_hovered_ = ImGui::IsItemHovered();
    observe_item(setup.rect);
    ImGui::GetWindowDrawList()->AddRectFilled(min_, max_, palette().canvas, scaled(3));
}

float Chart::mouse_share() const {
    return std::clamp((ImGui::GetIO().MousePos.x - min_.x) / (max_.x - min_.x), 0.0F, 0.999F);
}

std::optional<std::size_t> Chart::hovered_column() const {
    if (!is_hovered_) return std::nullopt;
    return static_cast<std::size_t>(mouse_share() * static_cast<float>(columns_));
}

void Chart::draw_line_at(float x_px, ImU32 colour) const {
    ImGui::GetWindowDrawList()->AddLine({x_px, min_.y}, {x_px, max_.y}, colour, scaled(1));
}

void Chart::draw_grid_line(double share) {
    const float at = x_of_share(share);
    if (at - grid_line_px_ < scaled(k_min_grid_gap_px)) return;
    draw_line_at(at, palette().grid);
    grid_line_px_ = at;
}

void draw_curve_points(std::span<const ImVec2> points, ImU32 colour) {
    ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, scaled(1.5F));
}

void place_legend_item(bool is_first, float width_px) {
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    if (!is_first && ImGui::GetItemRectMax().x + scaled(14) + width_px < right) ImGui::SameLine(0, scaled(14));
}

}  // namespace snapviewer
