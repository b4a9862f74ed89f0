#include "app/ui/tab_button.h"

#include <imgui.h>

#include <algorithm>

#include "app/ui/click_area.h"
#include "app/ui/cut_text.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
namespace {

bool is_over(ImVec2 min, ImVec2 max) { return ImGui::IsMouseHoveringRect(min, max); }

void draw_cross(ImVec2 middle, ImU32 colour) {
    const float arm = scaled(3.5F);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddLine({middle.x - arm, middle.y - arm}, {middle.x + arm, middle.y + arm}, colour, scaled(1.4F));
    list->AddLine({middle.x - arm, middle.y + arm}, {middle.x + arm, middle.y - arm}, colour, scaled(1.4F));
}

}  // namespace

TabClick draw_tab(const TabLook& look, ImVec2 size, const std::string& rect, const std::string& cross_rect) {
    const ImVec2 min = ImGui::GetCursorScreenPos();
    const ImVec2 max(min.x + size.x, min.y + size.y);
    const ImVec2 cross_min(max.x - size.y, min.y);
    const bool is_pressed = click_area("tab", size);
    report_rect(rect);
    report_rect(cross_rect, cross_min.x, cross_min.y, max.x, max.y);
    const bool is_hovered = ImGui::IsItemHovered();
    const bool is_at_cross = is_hovered && is_over(cross_min, max);
    TabClick click = is_pressed ? (is_at_cross ? TabClick::close : TabClick::show) : TabClick::none;
    if (ImGui::IsItemClicked(ImGuiMouseButton_Middle)) click = TabClick::close;

    const Palette& colours = palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 ground = look.is_shown ? colours.panel : is_hovered ? colours.raised : colours.window;
    list->AddRectFilled(min, max, ground, scaled(4), ImDrawFlags_RoundCornersTop);
    if (look.is_shown) list->AddRectFilled(min, {max.x, min.y + scaled(2)}, colours.accent);
    const float left = min.x + scaled(10);
    const ImVec2 at(left, min.y + (size.y - ImGui::GetTextLineHeight()) / 2);
    const ImU32 ink = look.is_shown ? colours.text : colours.text_dim;
    if (look.is_path)
        list->AddText(at, ink, cut_in_middle(look.name, cross_min.x - left).c_str());
    else
        draw_cut_text(list, at, cross_min.x, ink, look.name);
    if (look.loaded) list->AddRectFilled({min.x, max.y - scaled(3)}, {min.x + *look.loaded * size.x, max.y}, colours.accent);
    if (look.is_shown || is_hovered)
        draw_cross({(cross_min.x + max.x) / 2, (min.y + max.y) / 2}, is_at_cross ? colours.text : colours.text_faint);
    if (is_hovered) item_tooltip(is_at_cross ? look.close_told : look.told);
    return click;
}
}  // namespace snapviewer
