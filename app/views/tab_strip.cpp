#include "app/views/tab_strip.h"

#include <imgui.h>

#include <algorithm>

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

/// A tab of the given size where the cursor is. A click shows it, one on its cross or with the middle button closes it.
void draw_tab(const TabName& tab, std::size_t index, bool is_shown, ImVec2 size, Requests& requests) {
    const ImVec2 min = ImGui::GetCursorScreenPos();
    const ImVec2 max(min.x + size.x, min.y + size.y);
    const ImVec2 cross_min(max.x - size.y, min.y);
    const bool is_pressed = ImGui::InvisibleButton("tab", size);
    report_rect("tab_" + std::to_string(index));
    report_rect("tab_close_" + std::to_string(index), cross_min.x, cross_min.y, max.x, max.y);
    const bool is_hovered = ImGui::IsItemHovered();
    const bool is_at_cross = is_hovered && is_over(cross_min, max);
    if (is_pressed && is_at_cross)
        requests.ask(CloseTab{index});
    else if (is_pressed)
        requests.ask(ShowTab{index});
    if (ImGui::IsItemClicked(ImGuiMouseButton_Middle)) requests.ask(CloseTab{index});

    const Palette& colours = palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 ground = is_shown ? colours.panel : is_hovered ? colours.raised : colours.window;
    list->AddRectFilled(min, max, ground, scaled(4), ImDrawFlags_RoundCornersTop);
    if (is_shown) list->AddRectFilled(min, {max.x, min.y + scaled(2)}, colours.accent);
    const float left = min.x + scaled(10);
    const std::string name = cut_in_middle(tab.name, cross_min.x - left);
    list->AddText({left, min.y + (size.y - ImGui::GetTextLineHeight()) / 2}, is_shown ? colours.text : colours.text_dim,
                  name.c_str());
    if (tab.loaded) list->AddRectFilled({min.x, max.y - scaled(3)}, {min.x + *tab.loaded * size.x, max.y}, colours.accent);
    if (is_shown || is_hovered)
        draw_cross({(cross_min.x + max.x) / 2, (min.y + max.y) / 2}, is_at_cross ? colours.text : colours.text_faint);
    if (is_at_cross)
        item_tooltip("Close (Ctrl+W)");
    else if (is_hovered)
        item_tooltip(tab.path.empty() ? tab.name : tab.path);
}

}  // namespace

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
        draw_tab(strip.tabs[i], i, i == strip.shown, {std::max(1.0F, width), room.y}, requests);
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
