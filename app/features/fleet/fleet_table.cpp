#include "app/features/fleet/fleet_table.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/features/fleet/fleet_bars.h"
#include "app/features/fleet/fleet_columns.h"
#include "app/features/fleet/fleet_curves.h"
#include "app/ui/cut_text.h"
#include "app/ui/data_table.h"
#include "app/ui/keys.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_chosen = 0;  ///< index of the column of check boxes; the columns of FleetColumn follow it
constexpr float k_roomy_width = 560;

std::size_t table_column(FleetColumn column) { return k_chosen + 1 + static_cast<std::size_t>(column); }

/// The columns of the fleet table. In a narrow table, columns that do not identify a rank are hidden until the user shows
/// them.
std::vector<TableColumn> rank_columns(float width_px) {
    std::vector<TableColumn> columns = {
        {.title = "##chosen", .width_px = ImGui::GetTextLineHeight() / scaled(1), .is_bare = true}};
    for (const FleetColumnInfo& info : fleet_columns()) columns.push_back(info.header);
    if (width_px < scaled(k_roomy_width))
        columns[table_column(FleetColumn::reserved)].is_hidden = columns[table_column(FleetColumn::file)].is_hidden = true;
    return columns;
}

void follow_fleet_sorting(FleetState& state, DataTable& table) {
    if (const auto sorting = table.new_sorting(); sorting && sorting->column)
        state.order = {static_cast<FleetColumn>(*sorting->column - k_chosen - 1), sorting->is_descending,
                       state.order.filter};
    if (state.arranged == state.shown && state.arranged_by == state.order) return;
    const auto is_further = [](const ShownRank& rank) { return rank.row.device.value_or(0) > 0; };
    if (state.arranged != state.shown && std::ranges::any_of(state.shown->ranks, is_further))
        ImGui::TableSetColumnEnabled(static_cast<int>(table_column(FleetColumn::device)), true);
    state.places = arrange(*state.shown, state.order);
    state.arranged = state.shown;
    state.arranged_by = state.order;
}

ImU32 fleet_cell_colour(const ShownRank& rank, FleetColumn column) {
    const bool is_notable = rank.is_outlier || !rank.row.oom_cause.empty();
    if (!rank.is_readable()) return column == FleetColumn::note ? palette().danger : palette().text_faint;
    if (is_notable && (column == FleetColumn::delta || column == FleetColumn::note)) return rank_colour(rank);
    return column <= FleetColumn::peak ? palette().text : palette().text_dim;
}

void draw_fleet_cell(const ShownRank& rank, FleetColumn column) {
    const float width = ImGui::GetContentRegionAvail().x;
    const FleetColumnInfo& info = info_of(column);
    const std::string text = info.shown(rank);
    if (column == FleetColumn::note) {
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        return draw_cut_text(ImGui::GetWindowDrawList(), pos, pos.x + width, fleet_cell_colour(rank, column), text);
    }
    if (info.number != nullptr) return right_text(text, fleet_cell_colour(rank, column));
    ImGui::PushStyleColor(ImGuiCol_Text, fleet_cell_colour(rank, column));
    ImGui::TextUnformatted(cut_in_middle(text, width).c_str());
    ImGui::PopStyleColor();
}

/// Draws the check box in front of a row. The colour of its tick is the colour of the rank's curve.
void draw_chosen_box(FleetState& state, const ShownRank& rank, std::size_t row) {
    ImGui::TableNextColumn();
    if (!rank.is_readable()) return;
    const RankPlace place = place_of(rank.row);
    const auto at = std::ranges::find(state.chosen, place);
    bool is_chosen = at != state.chosen.end();
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
    ImGui::PushStyleColor(ImGuiCol_CheckMark,
                          chosen_rank_colour(static_cast<std::size_t>(at - state.chosen.begin()) % k_most_chosen_ranks));
    if (ImGui::Checkbox("##chosen", &is_chosen)) toggle_chosen(state, place);
    report_rect(fmt::format("fleet_choose_{}", row));
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
}

void draw_fleet_row(const DataTable& table, FleetState& state, std::size_t index, Requests& requests) {
    const ShownRank& rank = state.shown->ranks[state.places[index]];
    const RankPlace place = place_of(rank.row);
    ImGui::TableNextRow(0, DataTable::row_height());
    ImGui::PushID(static_cast<int>(state.places[index]));
    draw_chosen_box(state, rank, index);
    bool has_row = false;
    for (std::size_t i = 0; i < fleet_columns().size(); ++i) {
        if (!ImGui::TableSetColumnIndex(static_cast<int>(k_chosen + 1 + i))) continue;
        if (!std::exchange(has_row, true)) {
            if (table.select(index, state.cursor == place, ImGuiSelectableFlags_AllowDoubleClick))
                press_rank(state, place, requests);
            if (ImGui::IsItemHovered()) row_tooltip(rank_facts(rank));
            ImGui::SameLine(0, 0);
        }
        draw_fleet_cell(rank, static_cast<FleetColumn>(i));
    }
    ImGui::PopID();
}

/// The table row of the cursor, or nullopt if the filter hides it.
std::optional<std::size_t> cursor_row(const FleetState& state) {
    if (!state.cursor) return std::nullopt;
    const auto index = state.shown->index_of(*state.cursor);
    if (!index) return std::nullopt;
    const auto found = std::ranges::find(state.places, static_cast<std::uint32_t>(*index));
    return found == state.places.end() ? std::nullopt
                                       : std::optional(static_cast<std::size_t>(found - state.places.begin()));
}

/// Handles the keys of the fleet table: arrow keys move the cursor, Space chooses, Enter opens. A slow frame can receive
/// several key presses.
void follow_fleet_keys(const DataTable& table, FleetState& state, Requests& requests) {
    if (!state.is_focused || ImGui::GetIO().WantTextInput) return;
    const auto row = cursor_row(state);
    const auto next = row_by_keys(row, state.places.size(), table.page_rows());
    if (next) {
        state.cursor = place_of(state.shown->ranks[state.places[*next]].row);
        state.scroll_to_cursor = true;
    }
    if (!row && !next) return;
    // A key that is pressed and released between two frames arrives only as a character.
    for (const ImWchar character : ImGui::GetIO().InputQueueCharacters) {
        if (character == ' ') toggle_chosen(state, *state.cursor);
    }
    if (enter_pressed()) requests.ask(OpenRank{*state.cursor});
}

void draw_fleet_filter(FleetState& state) {
    ImGui::SetNextItemWidth(std::min(scaled(280), ImGui::GetContentRegionAvail().x * 0.6F));
    ImGui::InputTextWithHint("##filter", "Filter: 7, damaged, node3, eval.py", &state.order.filter);
    report_rect("fleet_filter");
    ImGui::SameLine(0, scaled(10));
    const std::size_t shown = state.places.size();
    const std::size_t all = state.shown->ranks.size();
    ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
    if (shown == all)
        ImGui::Text("%s rows", format_count(all).c_str());
    else
        ImGui::Text("%s of %s rows", format_count(shown).c_str(), format_count(all).c_str());
    ImGui::PopStyleColor();
}

}  // namespace

void draw_fleet_table(FleetState& state, Requests& requests) {
    draw_fleet_filter(state);
    const auto [width, height] = ImGui::GetContentRegionAvail();
    const auto columns = rank_columns(width);
    DataTable table({.id = "ranks",
                     .report = "fleet",
                     .columns = columns,
                     .size = {0, height},
                     .flags = ImGuiTableFlags_Resizable | ImGuiTableFlags_Hideable});
    if (!table) return;
    follow_fleet_sorting(state, table);
    follow_fleet_keys(table, state, requests);
    if (const auto row = cursor_row(state); std::exchange(state.scroll_to_cursor, false) && row) table.scroll_to(*row);
    table.rows(state.places.size(), [&](std::size_t row) { draw_fleet_row(table, state, row, requests); });
}

}  // namespace snapviewer
