#include "app/features/compare/compare_table.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/features/compare/compare_tasks.h"
#include "app/features/compare/compare_text.h"
#include "app/ui/cut_text.h"
#include "app/ui/fonts.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

struct ComparedHeader {
    const char* title;
    const char* name;  ///< in tests
    float width_px;    ///< 0: what is left
    const char* doc;
};
/// By ComparedColumn.
constexpr std::array<ComparedHeader, 7> k_headers = {
    {{"Source", "source", 0, "The line that stands for the stack"},
     {"In", "box", 52, "Which recording has it at its peak"},
     {"A", "bytes_a", 84, "What it held at A's peak"},
     {"B", "bytes_b", 84, "What it held at B's peak"},
     {"Difference", "delta", 96, "B less A; the largest first, whatever its sign"},
     {"# in A", "count_a", 64, "Allocations at A's peak"},
     {"# in B", "count_b", 64, "Allocations at B's peak"}}};
constexpr ImGuiTableFlags k_compare_table_flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY |
                                                  ImGuiTableFlags_Sortable | ImGuiTableFlags_Resizable |
                                                  ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;
constexpr float k_least_rows = 7;
constexpr float k_least_width_of_counts_px = 700;

const char* box_letters(ComparedBox box) {
    switch (box) {
        case ComparedBox::only_a: return "A";
        case ComparedBox::both: return "both";
        case ComparedBox::only_b: return "B";
    }
    return "";
}

/// Counts are left to the tooltip where sources need the room.
void set_up_compare_columns(bool is_narrow) {
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const ComparedHeader& header : k_headers) {
        ImGuiTableColumnFlags flags =
            header.width_px > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
        const auto column = static_cast<ComparedColumn>(&header - k_headers.data());
        if (column != ComparedColumn::source && column != ComparedColumn::box)
            flags |= ImGuiTableColumnFlags_PreferSortDescending;
        const bool is_count = column == ComparedColumn::count_a || column == ComparedColumn::count_b;
        if (is_count && is_narrow) flags |= ImGuiTableColumnFlags_Disabled;
        if (column == ComparedColumn::delta) flags |= ImGuiTableColumnFlags_DefaultSort;
        ImGui::TableSetupColumn(header.title, flags, scaled(header.width_px));
    }
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (std::size_t i = 0; i < k_headers.size(); ++i) {
        if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
        ImGui::TableHeader(k_headers[i].title);
        report_rect(std::string("compare_header_") + k_headers[i].name);
        if (ImGui::IsItemHovered()) item_tooltip(k_headers[i].doc);
    }
}

void follow_compare_sorting(CompareState& state) {
    ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
    if (specs != nullptr && specs->SpecsDirty && specs->SpecsCount > 0) {
        state.order.by = static_cast<ComparedColumn>(specs->Specs->ColumnIndex);
        state.order.is_descending = specs->Specs->SortDirection == ImGuiSortDirection_Descending;
        specs->SpecsDirty = false;
    }
    if (state.arranged == state.shown.get() && state.arranged_by == state.order) return;
    state.places = arrange(state.shown->comparison.peaks, state.order);
    state.arranged = state.shown.get();
    state.arranged_by = state.order;
}

void number_cell(ImU32 colour, const std::string& text) {
    ImGui::TableNextColumn();
    const float gap = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    if (gap > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + gap);
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
}

std::string row_facts(const PeakComparison::Row& row) {
    return fmt::format("{}\nA: {} in {}\nB: {} in {}\nClick to light up all that both allocated there",
                       row.source.substr(0, 1000), format_bytes_exactly(row.bytes_a), format_count(row.count_a),
                       format_bytes_exactly(row.bytes_b), format_count(row.count_b));
}

void draw_compare_row(CompareState& state, std::size_t index, Requests& requests) {
    const ComparedPlace& place = state.places[index];
    const PeakComparison::Row& row = rows_of(state.shown->comparison.peaks, place.box)[place.row];
    const auto amount = [](std::uint64_t bytes) { return bytes == 0 ? std::string("-") : format_bytes(bytes); };
    const auto number = [](std::uint64_t count) { return count == 0 ? std::string("-") : format_count(count); };
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(row.key.c_str());
    const float width = ImGui::GetContentRegionAvail().x;
    push_font(fonts().code);
    const std::string shown = cut_in_middle(row.source, width);
    ImGui::PopFont();
    if (ImGui::Selectable("##row", row.key == state.chosen_key, ImGuiSelectableFlags_SpanAllColumns))
        requests.ask(GoToCompared{row.key});
    report_rect(fmt::format("compare_row_{}", index));
    if (ImGui::IsItemHovered()) item_tooltip(row_facts(row));
    ImGui::SameLine(0, 0);
    push_font(fonts().code);
    ImGui::TextUnformatted(shown.c_str());
    ImGui::PopFont();
    number_cell(palette().text_dim, box_letters(place.box));
    number_cell(palette().text, amount(row.bytes_a));
    number_cell(palette().text, amount(row.bytes_b));
    const std::int64_t delta = row.delta_bytes();
    number_cell(delta > 0 ? palette().danger : delta < 0 ? palette().accent : palette().text_dim, format_difference(delta));
    number_cell(palette().text_dim, number(row.count_a));
    number_cell(palette().text_dim, number(row.count_b));
    ImGui::PopID();
}

/// As high as the rows need, or as there is room for; never less than a few rows.
float table_height(const CompareState& state) {
    const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    const auto rows = static_cast<float>(state.places.size() + 2);
    const std::size_t settings = state.shown->comparison.settings.size();
    const std::size_t limits = 2 * state.shown->limits.size();  // they may be wrapped
    const float below = static_cast<float>((settings == 0 ? 2 : settings + 3) + limits) * row;
    const float room = std::max(ImGui::GetContentRegionAvail().y - below, k_least_rows * row);
    return std::min(std::max(rows, k_least_rows) * row, room);
}

}  // namespace

void draw_compare_table(CompareState& state, Requests& requests) {
    const bool is_narrow = ImGui::GetContentRegionAvail().x < scaled(k_least_width_of_counts_px);
    if (!ImGui::BeginTable("compared rows", static_cast<int>(k_headers.size()), k_compare_table_flags,
                           {0, table_height(state)}))
        return;
    set_up_compare_columns(is_narrow);
    follow_compare_sorting(state);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(state.places.size()));
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
            draw_compare_row(state, static_cast<std::size_t>(i), requests);
    }
    ImGui::EndTable();
}

}  // namespace snapviewer
