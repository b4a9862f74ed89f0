#include "app/ui/star.h"

#include <array>
#include <cmath>
#include <numbers>

#include "app/ui/theme.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_corners = 10;
constexpr float k_inner = 0.42F;  // distance of the inner corners from the middle, relative to the radius

std::array<ImVec2, k_corners> star_corners(ImVec2 middle, float radius) {
    std::array<ImVec2, k_corners> corners;
    for (std::size_t i = 0; i < k_corners; ++i) {
        const float angle = static_cast<float>(i) * std::numbers::pi_v<float> / 5;
        const float distance = i % 2 == 0 ? radius : radius * k_inner;
        corners[i] = {middle.x + distance * std::sin(angle), middle.y - distance * std::cos(angle)};
    }
    return corners;
}

}  // namespace

void draw_star(ImDrawList* list, ImVec2 middle, bool is_hovered, bool is_filled) {
    const float radius = 0.42F * ImGui::GetTextLineHeight();
    const std::array<ImVec2, k_corners> corners = star_corners({middle.x, middle.y + 0.05F * radius}, radius);
    const ImU32 colour = is_filled || is_hovered ? palette().notice : palette().text_faint;
    if (is_filled) {
        for (std::size_t i = 0; i < k_corners; ++i)
            list->AddTriangleFilled(middle, corners[i], corners[(i + 1) % k_corners], colour);
    }
    list->AddPolyline(corners.data(), static_cast<int>(k_corners), colour, ImDrawFlags_Closed, scaled(1.2F));
}

bool star_button(const char* id, bool is_filled) {
    const float side = ImGui::GetFrameHeight();
    ImGui::PushID(id);
    const bool is_clicked = ImGui::Button("##star", {side, side});
    ImGui::PopID();
    const ImVec2 min = ImGui::GetItemRectMin();
    draw_star(ImGui::GetWindowDrawList(), {min.x + side / 2, min.y + side / 2}, ImGui::IsItemHovered(), is_filled);
    return is_clicked;
}

}  // namespace snapviewer
