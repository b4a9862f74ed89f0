#include "app/views/tab_strip.h"

#include <imgui.h>

#include <algorithm>

#include "app/window/click_area.h"
#include "app/window/cut_text.h"
#include "app/window/state_report.h"
#include "app/window/theme.h"
#include "app/window/tooltip.h"

namespace snapviewer {
namespace {

constexpr float k_widest_tab_px = 260;
constexpr float k_tab_gap_px = 2;

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

float tab_strip_height(const TabStripState& strip) {
    return strip.has_several() ? ImGui::GetTextLineHeight() + scaled(12) : 0;
}

void draw_tab_strip(TabStripState& strip, Requests& requests) {
    const ImVec2 room = ImGui::GetWindowSize();
    strip.top = ImGui::GetWindowPos().y;
    strip.bottom = strip.top + room.y;
    const float gap = scaled(k_tab_gap_px);
    const auto count = static_cast<float>(strip.tabs.size());
    const float width = std::min(scaled(k_widest_tab_px), (room.x - room.y) / count - gap);
    for (std::size_t i = 0; i < strip.tabs.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        ImGui::SetCursorPos({static_cast<float>(i) * (width + gap), 0});
        const TabName& tab = strip.tabs[i];
        const std::string number = std::to_string(i);
        const TabLook look{tab.name,  tab.path.empty() ? tab.name : tab.path, "Close (Ctrl+W)", i == strip.shown, true,
                           tab.loaded};
        const TabClick click = draw_tab(look, {std::max(1.0F, width), room.y}, "tab_" + number, "tab_close_" + number);
        if (click == TabClick::show) requests.ask(ShowTab{i});
        if (click == TabClick::close) requests.ask(CloseTab{i});
        ImGui::PopID();
    }
    ImGui::SetCursorPos({count * (width + gap), 0});
    ImGui::PushStyleColor(ImGuiCol_Button, palette().window);
    if (ImGui::Button("+", {room.y, room.y})) requests.ask(Command::open_tab_dialog);
    ImGui::PopStyleColor();
    report_rect("tab_new");
    if (ImGui::IsItemHovered()) item_tooltip("Open in a new tab (Ctrl+T)");
}

}  // namespace snapviewer
