#include "app/views/query_pane.h"

#include <imgui.h>

#include <algorithm>

#include "app/text/result_grid.h"
#include "app/views/query_input.h"
#include "app/views/query_results.h"
#include "app/window/state_report.h"
#include "app/window/theme.h"

namespace snapviewer {
namespace {

constexpr float k_split_px = 6;

/// A grip between input and answer.
void drag_split(Settings& settings, float width_px) {
    ImGui::SameLine(0, 0);
    ImGui::InvisibleButton("split", {scaled(k_split_px), ImGui::GetContentRegionAvail().y});
    report_rect("query_split");
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), palette().accent_soft);
    }
    if (ImGui::IsItemActive())
        settings.query_split = std::clamp(settings.query_split + ImGui::GetIO().MouseDelta.x / width_px, 0.15F, 0.85F);
    ImGui::SameLine(0, 0);
}

}  // namespace

void show_answer(QueryPaneState& state, std::size_t index) {
    state.shown_answer = index;
    state.result = state.answers[index].result;
    state.widths_em.clear();
    state.order = unsorted_rows(*state.result);
    state.order_stale = true;
    state.row = -1;
}

void draw_query_pane(QueryPaneState& state, const Document* document, Settings& settings, Requests& requests) {
    const float width_px = ImGui::GetContentRegionAvail().x;
    ImGui::BeginChild("query_input", ImVec2(width_px * settings.query_split, 0.0F));
    draw_query_input(state, settings, requests);
    ImGui::EndChild();
    drag_split(settings, width_px);
    ImGui::BeginChild("query_results");
    draw_query_results(state, document, requests);
    ImGui::EndChild();
}

float query_line_height() { return ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().WindowPadding.y; }

void draw_query_line(QueryPaneState& state, Requests& requests) {
    draw_query_tools(state, requests);
    ImGui::SameLine();
    ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5F});
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_FrameBg));
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    if (ImGui::Button("Ask the file in SQL…", {-1, 0})) state.focus_input = true;
    report_rect("query_input");
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
    if (state.focus_input || state.is_running || state.result || state.error) state.is_open = true;
}

}  // namespace snapviewer
