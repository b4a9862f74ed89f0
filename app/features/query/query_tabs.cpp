#include "app/features/query/query_tabs.h"

#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/features/query/card_texts.h"
#include "app/ui/state_report.h"
#include "app/ui/tab_button.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
namespace {

constexpr float k_widest_query_tab_px = 220;
constexpr float k_query_tab_gap_px = 2;

std::string query_tab_name(const QueryTab& tab) {
    const std::string name = query_name(tab.sql);
    return name.empty() ? "New query" : name;
}

}  // namespace

float query_tabs_height(const QueryPaneState& state) {
    return state.tabs.size() < 2 ? 0 : ImGui::GetTextLineHeight() + scaled(8);
}

void draw_query_tabs(const QueryPaneState& state, Requests& requests) {
    const float height = query_tabs_height(state);
    if (height == 0) return;
    const ImVec2 begin = ImGui::GetCursorPos();
    const float gap = scaled(k_query_tab_gap_px);
    const float room = ImGui::GetContentRegionAvail().x - height;
    const auto count = static_cast<float>(state.tabs.size());
    const float width = std::max(1.0F, std::min(scaled(k_widest_query_tab_px), room / count - gap));
    for (std::size_t i = 0; i < state.tabs.size(); ++i) {
        const QueryTab& tab = state.tab(i);
        const std::string number = std::to_string(i);
        ImGui::PushID(static_cast<int>(tab.id));
        ImGui::SetCursorPos({begin.x + static_cast<float>(i) * (width + gap), begin.y});
        const TabLook look{query_tab_name(tab), tab.sql.empty() ? "Empty" : tab.sql, "Close (Ctrl+Shift+W)",
                           i == state.front};
        const TabClick click = draw_tab(look, {width, height}, "query_tab_" + number, "query_tab_close_" + number);
        if (click == TabClick::show) requests.ask(ShowQueryTab{i});
        if (click == TabClick::close) requests.ask(CloseQueryTab{i});
        ImGui::PopID();
    }
    ImGui::SetCursorPos({begin.x + count * (width + gap), begin.y});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
    if (ImGui::Button("+", {height, height})) requests.ask(RunCommand{"query_new_tab"});
    ImGui::PopStyleVar();
    report_rect("query_tab_new");
    if (ImGui::IsItemHovered()) item_tooltip("New query tab (Ctrl+Shift+T)");
    ImGui::SetCursorPos({begin.x, begin.y + height + scaled(4)});
}

}  // namespace snapviewer
