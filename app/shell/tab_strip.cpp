#include "app/shell/tab_strip.h"

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

constexpr float k_widest_tab_px = 260;
constexpr float k_tab_gap_px = 2;

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
    if (ImGui::Button("+", {room.y, room.y})) requests.ask(RunCommand{"file_open_tab"});
    ImGui::PopStyleColor();
    report_rect("tab_new");
    if (ImGui::IsItemHovered()) item_tooltip("Open in a new tab (Ctrl+T)");
}

}  // namespace snapviewer
