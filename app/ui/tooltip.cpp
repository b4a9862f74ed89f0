#include "app/ui/tooltip.h"

#include <algorithm>
#include <array>

#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "core/base/budget.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr float k_max_tooltip_width_px = 360.0F;
constexpr float k_tooltip_gap_px = 12.0F;

float common_length(float begin_a, float end_a, float begin_b, float end_b) {
    return std::max(0.0F, std::min(end_a, end_b) - std::max(begin_a, begin_b));
}

/// Area of the box that a tooltip at `pos` would cover, in square pixels.
float hidden_area(ImVec2 pos, ImVec2 size, const PixelBox& box) {
    return common_length(pos.x, pos.x + size.x, box.min.x, box.max.x) *
           common_length(pos.y, pos.y + size.y, box.min.y, box.max.y);
}

ImVec2 kept_inside(ImVec2 pos, ImVec2 size, const PixelBox& picture) {
    return {std::max(picture.min.x, std::min(pos.x, picture.max.x - size.x)),
            std::max(picture.min.y, std::min(pos.y, picture.max.y - size.y))};
}

PixelBox item_box() { return {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()}; }

/// The area of a list from this row down to its lower edge.
PixelBox row_and_below(const PixelBox& row) {
    const ImVec2 corner = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    return {{corner.x, row.min.y}, {corner.x + size.x, std::max(row.max.y, corner.y + size.y)}};
}

}  // namespace

ImVec2 place_tooltip(ImVec2 size, const PixelBox& described, const PixelBox& picture, ImVec2 mouse, float gap_px,
                     bool sides_first) {
    const float above = described.min.y - gap_px - size.y;
    const float below = described.max.y + gap_px;
    const float beside_y = mouse.y + gap_px;
    std::array wanted = {ImVec2(mouse.x + gap_px, mouse.y + gap_px),
                         ImVec2(mouse.x + gap_px, below),
                         ImVec2(mouse.x + gap_px, above),
                         ImVec2(described.max.x + gap_px, beside_y),
                         ImVec2(described.min.x - gap_px - size.x, beside_y),
                         ImVec2(picture.max.x, picture.min.y),
                         picture.min,
                         picture.max,
                         ImVec2(picture.min.x, picture.max.y)};
    if (sides_first) std::rotate(wanted.begin(), wanted.begin() + 3, wanted.begin() + 5);
    const PixelBox pointer{{mouse.x - gap_px / 2, mouse.y - gap_px / 2}, {mouse.x + gap_px / 2, mouse.y + gap_px / 2}};
    ImVec2 best;
    float least = -1;
    for (const ImVec2 each : wanted) {
        const ImVec2 pos = kept_inside(each, size, picture);
        if (hidden_area(pos, size, pointer) > 0) continue;
        const float hidden = hidden_area(pos, size, described);
        if (least >= 0 && hidden >= least) continue;
        least = hidden;
        best = pos;
    }
    return least < 0 ? kept_inside(wanted[0], size, picture) : best;
}

namespace {

struct TooltipPlace {
    PixelBox described;
    std::optional<PixelBox> inside;  ///< the area that the tooltip must not leave; nullopt for the whole window
    bool sides_first = false;
};

void draw_tooltip(const TooltipPlace& place, const std::vector<TooltipLine>& lines) {
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    const float gap = ImGui::GetStyle().ItemSpacing.y;
    std::vector<std::string> wrapped;
    ImVec2 size(2 * padding.x, 2 * padding.y - gap);
    for (const TooltipLine& line : lines) {
        wrapped.push_back(text_in_lines(shortened(line.text, limits::k_max_tooltip_bytes),
                                        scaled(k_max_tooltip_width_px) - 2 * padding.x));
        const ImVec2 text_size = ImGui::CalcTextSize(wrapped.back().c_str());
        size = {std::max(size.x, text_size.x + 2 * padding.x), size.y + text_size.y + gap};
    }
    const ImGuiViewport& window = *ImGui::GetMainViewport();
    const PixelBox all{window.Pos, {window.Pos.x + window.Size.x, window.Pos.y + window.Size.y}};
    ImGui::SetNextWindowPos(place_tooltip(size, place.described, place.inside.value_or(all), ImGui::GetIO().MousePos,
                                          scaled(k_tooltip_gap_px), place.sides_first));
    ImGui::BeginTooltip();
    for (std::size_t i = 0; i < lines.size(); ++i) coloured_text(lines[i].colour, wrapped[i]);
    const ImVec2 corner = ImGui::GetWindowPos();
    observe_item("tooltip", corner.x, corner.y, corner.x + size.x, corner.y + size.y);
    ImGui::EndTooltip();
}

}  // namespace

void tooltip_beside(const PixelBox& described, const std::vector<TooltipLine>& lines,
                    const std::optional<PixelBox>& inside) {
    draw_tooltip({.described = described, .inside = inside}, lines);
}

void tooltip_beside(const PixelBox& described, const std::string& text) {
    tooltip_beside(described, std::vector{TooltipLine{text}});
}

void item_tooltip(const std::string& text) { tooltip_beside(item_box(), text); }
void item_tooltip(const std::vector<TooltipLine>& lines) { tooltip_beside(item_box(), lines); }
void hover_tooltip(const std::string& text) {
    if (!text.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) item_tooltip(text);
}

void row_tooltip(const PixelBox& row, const std::string& text) {
    draw_tooltip({.described = row_and_below(row), .inside = {}, .sides_first = true}, {TooltipLine{text}});
}
void row_tooltip(const std::string& text) { row_tooltip(item_box(), text); }
void row_tooltip(const std::vector<TooltipLine>& lines) {
    draw_tooltip({.described = row_and_below(item_box()), .inside = {}, .sides_first = true}, lines);
}

bool is_mouse_at(const PixelBox& box) { return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(box.min, box.max); }

PixelBox box_at_mouse() { return {ImGui::GetIO().MousePos, ImGui::GetIO().MousePos}; }

void mouse_tooltip(const std::string& text) { tooltip_beside(box_at_mouse(), text); }

}  // namespace snapviewer
