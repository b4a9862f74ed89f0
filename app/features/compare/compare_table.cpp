#include "app/features/compare/compare_table.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/features/compare/compare_tasks.h"
#include "app/features/compare/compare_text.h"
#include "app/ui/cut_text.h"
#include "app/ui/data_table.h"
#include "app/ui/fonts.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr float k_least_rows = 7;
constexpr float k_least_width_of_counts_px = 700;

/// The columns of the comparison table. In a narrow table, source lines need the room, and the counts appear only in the
/// tooltip.
std::vector<TableColumn> compared_row_columns(float width_px) {
    std::vector<TableColumn> columns;
    for (const ComparedColumnInfo& info : compared_columns()) columns.push_back(info.header);
    for (const ComparedColumn count : {ComparedColumn::count_a, ComparedColumn::count_b})
        columns[static_cast<std::size_t>(count)].has_no_room = width_px < scaled(k_least_width_of_counts_px);
    return columns;
}

void follow_compare_sorting(CompareState& state, DataTable& table) {
    if (const auto sorting = table.new_sorting(); sorting && sorting->column) {
        state.order.by = static_cast<ComparedColumn>(*sorting->column);
        state.order.is_descending = sorting->is_descending;
    }
    if (state.arranged == state.shown.get() && state.arranged_by == state.order) return;
    state.places = arrange(state.shown->comparison.peaks, state.order);
    state.arranged = state.shown.get();
    state.arranged_by = state.order;
}

ImU32 cell_colour(ComparedColumn column, const PeakComparison::Row& row) {
    if (column == ComparedColumn::bytes_a || column == ComparedColumn::bytes_b) return palette().text;
    if (column != ComparedColumn::delta || row.delta_bytes() == 0) return palette().text_dim;
    return row.delta_bytes() > 0 ? palette().danger : palette().accent;
}

std::string row_facts(const PeakComparison::Row& row) {
    return fmt::format("{}\nA: {} in {}\nB: {} in {}\nClick to light up all that both allocated there",
                       row.source.substr(0, 1000), format_bytes_exactly(row.bytes_a), format_count(row.count_a),
                       format_bytes_exactly(row.bytes_b), format_count(row.count_b));
}

void draw_compare_row(const DataTable& table, CompareState& state, std::size_t index, Requests& requests) {
    const ComparedPlace& place = state.places[index];
    const PeakComparison::Row& row = rows_of(state.shown->comparison.peaks, place.box)[place.row];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(row.key.c_str());
    const float width = ImGui::GetContentRegionAvail().x;
    push_font(fonts().code);
    const std::string shown = cut_in_middle(row.source, width);
    ImGui::PopFont();
    if (table.select(index, row.key == state.chosen_key)) requests.ask(GoToCompared{row.key});
    if (ImGui::IsItemHovered()) row_tooltip(row_facts(row));
    ImGui::SameLine(0, 0);
    push_font(fonts().code);
    ImGui::TextUnformatted(shown.c_str());
    ImGui::PopFont();
    for (std::size_t i = 1; i < compared_columns().size(); ++i) {
        ImGui::TableNextColumn();
        right_text(compared_columns()[i].shown(row, place.box), cell_colour(static_cast<ComparedColumn>(i), row));
    }
    ImGui::PopID();
}

/// Height of the comparison table: as much as its rows need, at most the available room, and at least a few rows.
float table_height(const CompareState& state) {
    const float row = DataTable::row_height();
    const auto rows = static_cast<float>(state.places.size() + 2);
    const std::size_t settings = state.shown->comparison.settings.size();
    // Counts two lines for each warning, because it may be wrapped.
    const std::size_t limits = 2 * state.shown->limits.size();
    const float below = static_cast<float>((settings == 0 ? 2 : settings + 3) + limits) * row;
    const float room = std::max(ImGui::GetContentRegionAvail().y - below, k_least_rows * row);
    return std::min(std::max(rows, k_least_rows) * row, room);
}

}  // namespace

void draw_compare_table(CompareState& state, Requests& requests) {
    const auto columns = compared_row_columns(ImGui::GetContentRegionAvail().x);
    DataTable table({.id = "compared rows",
                     .report = "compare",
                     .columns = columns,
                     .size = {0, table_height(state)},
                     .flags = ImGuiTableFlags_Resizable});
    if (!table) return;
    follow_compare_sorting(state, table);
    table.rows(state.places.size(), [&](std::size_t row) { draw_compare_row(table, state, row, requests); });
}

}  // namespace snapviewer
