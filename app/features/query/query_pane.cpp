#include "app/features/query/query_pane.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/features/query/query_cards.h"
#include "app/features/query/query_input.h"
#include "app/features/query/query_results.h"
#include "app/features/query/query_schema.h"
#include "app/features/query/query_tabs.h"
#include "app/ui/click_area.h"
#include "app/ui/result_grid.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

constexpr float k_split_px = 6;
constexpr float k_least_input_px = 270;   // minimum width of the input, enough for its buttons
constexpr float k_most_for_input = 0.6F;  // maximum share of the input in a narrow pane

float least_input_share(float width_px) { return std::min(scaled(k_least_input_px) / width_px, k_most_for_input); }

/// Draws the splitter between the input and the result.
void drag_split(Preferences& settings, float share, float width_px) {
    ImGui::SameLine(0, 0);
    click_area("split", {scaled(k_split_px), ImGui::GetContentRegionAvail().y});
    report_rect("query_split");
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), palette().accent_soft);
    }
    if (ImGui::IsItemActive())
        settings.query_split =
            std::clamp(share + ImGui::GetIO().MouseDelta.x / width_px, least_input_share(width_px), 0.85F);
    ImGui::SameLine(0, 0);
}

/// Draws the page of the right half; without a result, the list of queries takes its place.
void draw_right_half(QueryPaneState& state, const Document* document, const Preferences& settings, Requests& requests) {
    const bool has_answer = state.is_running || (state.result && !state.result->columns.empty());
    if (state.page == QueryPage::tables) {
        if (const std::optional<std::string> name = draw_query_schema(state.wanted_table, state.database.get()))
            insert_name(state, *name);
    } else if (state.page == QueryPage::answer && has_answer) {
        draw_query_results(state, document, requests);
    } else if (document == nullptr) {
        ImGui::TextDisabled("Open a file to query it with SQL.");
    } else {
        draw_query_cards(state.cards, state.database.get(), settings, requests);
    }
}

}  // namespace

void show_answer(QueryTab& tab, std::size_t index) {
    tab.shown_answer = index;
    tab.result = tab.answers[index].result;
    tab.widths_em.clear();
    tab.order = unsorted_rows(*tab.result);
    tab.order_stale = true;
    tab.row = -1;
}

void show_query_tab(QueryPaneState& state, std::size_t index) {
    if (index == state.front || index >= state.tabs.size()) return;
    QueryTab& front = state;
    state.tabs[state.front] = std::exchange(front, std::move(state.tabs[index]));
    state.front = index;
    state.forced_sql.reset();
    state.completions.clear();
    state.history_at = -1;
    state.input_active = false;
    state.focus_input = true;
    state.page = QueryPage::answer;
}

void add_query_tab(QueryPaneState& state) {
    state.tabs.emplace_back().id = state.next_id++;
    show_query_tab(state, state.tabs.size() - 1);
}

void close_query_tab(QueryPaneState& state, std::size_t index) {
    if (state.tabs.size() < 2 || index >= state.tabs.size()) return;
    if (index == state.front) show_query_tab(state, index + 1 < state.tabs.size() ? index + 1 : index - 1);
    state.tabs.erase(state.tabs.begin() + static_cast<std::ptrdiff_t>(index));
    if (state.front > index) --state.front;
}

void draw_query_pane(QueryPaneState& state, const Document* document, Preferences& settings, Requests& requests) {
    draw_query_tabs(state, requests);
    const float width_px = std::max(ImGui::GetContentRegionAvail().x, 1.0F);
    const float share = std::max(settings.query_split, least_input_share(width_px));
    ImGui::BeginChild("query_input", ImVec2(width_px * share, 0.0F));
    draw_query_input(state, settings, requests);
    ImGui::EndChild();
    drag_split(settings, share, width_px);
    ImGui::BeginChild("query_results");
    draw_right_half(state, document, settings, requests);
    ImGui::EndChild();
}

float query_line_height() { return ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().WindowPadding.y; }

void draw_query_line(QueryPaneState& state) {
    draw_query_tools(state);
    ImGui::SameLine();
    ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5F});
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_FrameBg));
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    if (ImGui::Button("Query this file with SQL…", {-1, 0})) state.focus_input = true;
    report_rect("query_input");
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
    if (state.focus_input || state.is_running || state.result || state.error) state.is_open = true;
}

}  // namespace snapviewer
