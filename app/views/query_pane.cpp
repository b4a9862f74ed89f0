#include "app/views/query_pane.h"

#include <imgui.h>

#include <utility>

#include "app/text/result_grid.h"
#include "app/views/query_input.h"
#include "app/views/query_results.h"

namespace snapviewer {
namespace {

constexpr float k_input_fraction = 0.36F;

}  // namespace

void show_result(QueryPaneState& state, QueryResult result) {
    state.widths_em.clear();
    state.order = unsorted_rows(result);
    state.order_stale = true;
    state.row = -1;
    state.result = std::move(result);
}

void draw_query_pane(QueryPaneState& state, const Document* document, const Settings& settings, Requests& requests) {
    const float input_px = ImGui::GetContentRegionAvail().x * k_input_fraction;
    ImGui::BeginChild("query_input", ImVec2(input_px, 0.0F));
    draw_query_input(state, document, settings, requests);
    ImGui::EndChild();
    ImGui::SameLine();
    ImGui::BeginChild("query_results");
    draw_query_results(state, document != nullptr, requests);
    ImGui::EndChild();
}

}  // namespace snapviewer
