#include "app/features/fleet/fleet_table.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "app/features/fleet/fleet_bars.h"
#include "app/features/fleet/fleet_curves.h"
#include "app/ui/cut_text.h"
#include "app/ui/keys.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

struct FleetHeader {
    const char* title;
    const char* name;
    float width_px;  ///< 0: what is left
    bool is_hidden;  ///< until the user wants it: the menu of the headers
    const char* doc;
};
/// By FleetColumn.
constexpr std::array<FleetHeader, k_fleet_columns> k_fleet_headers = {
    {{"Rank", "rank", 46, false, "What its file name, folder or recording tells"},
     {"Device", "device", 64, true, "Of its machine"},
     {"Peak", "peak", 80, false, "The most that was allocated at once"},
     {"To median", "delta", 88, false, "How far the peak is from the median of all; the furthest first, whatever its sign"},
     {"Reserved", "reserved", 80, false, "The most that was reserved from the driver"},
     {"Capacity", "capacity", 80, true, "What the device has, as far as running out of memory told"},
     {"Events", "events", 76, true, "In the recording"},
     {"Note", "note", 0, false, "What is not ordinary"},
     {"Host", "host", 90, true, "The machine, where the file name tells it"},
     {"Run", "run", 90, true, "What tells several snapshots of a rank apart"},
     {"File", "file", 130, false, "Where it was read from"}}};
constexpr ImGuiTableFlags k_fleet_table_flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Sortable |
                                                ImGuiTableFlags_Resizable | ImGuiTableFlags_Hideable |
                                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoSavedSettings;

constexpr float k_roomy_width = 560;

float fleet_row_height() { return ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y; }

/// Where there is little room, what is not needed to tell ranks apart is hidden until it is wanted.
bool is_hidden_at_first(FleetColumn column, float width_px) {
    const bool is_extra = column == FleetColumn::reserved || column == FleetColumn::file;
    return k_fleet_headers[static_cast<std::size_t>(column)].is_hidden || (is_extra && width_px < scaled(k_roomy_width));
}

void set_up_fleet_columns(float width_px) {
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableSetupColumn("##chosen",
                            ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoSort |
                                ImGuiTableColumnFlags_NoResize | ImGuiTableColumnFlags_NoHide,
                            ImGui::GetTextLineHeight());
    for (const FleetHeader& header : k_fleet_headers) {
        const auto column = static_cast<FleetColumn>(&header - k_fleet_headers.data());
        ImGuiTableColumnFlags flags =
            header.width_px > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
        if (is_hidden_at_first(column, width_px)) flags |= ImGuiTableColumnFlags_DefaultHide;
        if (column == FleetColumn::rank) flags |= ImGuiTableColumnFlags_DefaultSort;
        if ((column >= FleetColumn::peak && column <= FleetColumn::note))
            flags |= ImGuiTableColumnFlags_PreferSortDescending;
        ImGui::TableSetupColumn(header.title, flags, scaled(header.width_px), static_cast<ImGuiID>(column));
    }
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (std::size_t i = 0; i < k_fleet_headers.size(); ++i) {
        if (!ImGui::TableSetColumnIndex(static_cast<int>(i) + 1)) continue;
        ImGui::TableHeader(k_fleet_headers[i].title);
        report_rect(std::string("fleet_header_") + k_fleet_headers[i].name);
        if (ImGui::IsItemHovered()) item_tooltip(k_fleet_headers[i].doc);
    }
}

void follow_fleet_sorting(FleetState& state) {
    ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
    if (specs != nullptr && specs->SpecsDirty && specs->SpecsCount > 0) {
        state.order.by = static_cast<FleetColumn>(specs->Specs->ColumnUserID);
        state.order.is_descending = specs->Specs->SortDirection == ImGuiSortDirection_Descending;
        specs->SpecsDirty = false;
    }
    if (state.arranged == state.shown && state.arranged_by == state.order) return;
    const auto is_further = [](const ShownRank& rank) { return rank.row.device.value_or(0) > 0; };
    if (state.arranged != state.shown && std::ranges::any_of(state.shown->ranks, is_further))
        ImGui::TableSetColumnEnabled(static_cast<int>(FleetColumn::device) + 1, true);
    state.places = arrange(*state.shown, state.order);
    state.arranged = state.shown;
    state.arranged_by = state.order;
}

std::string fleet_cell(const ShownRank& rank, FleetColumn column) {
    const RankRow& row = rank.row;
    const auto size = [](const std::optional<std::uint64_t>& bytes) { return bytes ? format_bytes(*bytes) : "-"; };
    switch (column) {
        case FleetColumn::rank: return std::to_string(row.rank);
        case FleetColumn::device: return row.device ? std::to_string(*row.device) : "-";
        case FleetColumn::peak: return size(row.peak_bytes);
        case FleetColumn::delta: return rank.is_readable() ? format_difference(rank.delta_bytes) : "-";
        case FleetColumn::reserved: return size(row.reserved_peak_bytes);
        case FleetColumn::capacity: return size(row.capacity_bytes);
        case FleetColumn::events: return rank.is_readable() ? format_count(row.events) : "-";
        case FleetColumn::note: return rank.note;
        case FleetColumn::host: return row.host;
        case FleetColumn::run: return row.run;
        case FleetColumn::file: return std::filesystem::path(row.file).filename().string();
    }
    return "";
}

ImU32 fleet_cell_colour(const ShownRank& rank, FleetColumn column) {
    const bool is_notable = rank.is_outlier || !rank.row.oom_cause.empty();
    if (!rank.is_readable()) return column == FleetColumn::note ? palette().danger : palette().text_faint;
    if (is_notable && (column == FleetColumn::delta || column == FleetColumn::note)) return rank_colour(rank);
    return column <= FleetColumn::peak ? palette().text : palette().text_dim;
}

void draw_fleet_cell(const ShownRank& rank, FleetColumn column) {
    const float width = ImGui::GetContentRegionAvail().x;
    const std::string text = fleet_cell(rank, column);
    if (column == FleetColumn::note) {
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        return draw_cut_text(ImGui::GetWindowDrawList(), pos, pos.x + width, fleet_cell_colour(rank, column), text);
    }
    if (column < FleetColumn::note) {
        const float gap = width - ImGui::CalcTextSize(text.c_str()).x;
        if (gap > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + gap);
    }
    ImGui::PushStyleColor(ImGuiCol_Text, fleet_cell_colour(rank, column));
    ImGui::TextUnformatted(column < FleetColumn::note ? text.c_str() : cut_in_middle(text, width).c_str());
    ImGui::PopStyleColor();
}

/// A box in front of a row, ticked in the colour of the rank's curve.
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

void draw_fleet_row(FleetState& state, std::size_t index, Requests& requests) {
    const ShownRank& rank = state.shown->ranks[state.places[index]];
    const RankPlace place = place_of(rank.row);
    ImGui::TableNextRow(0, fleet_row_height());
    ImGui::PushID(static_cast<int>(state.places[index]));
    draw_chosen_box(state, rank, index);
    bool has_row = false;
    for (std::size_t i = 0; i < k_fleet_columns; ++i) {
        if (!ImGui::TableSetColumnIndex(static_cast<int>(i) + 1)) continue;
        if (!std::exchange(has_row, true)) {
            if (ImGui::Selectable("##row", state.cursor == place,
                                  ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick))
                press_rank(state, place, requests);
            report_rect(fmt::format("fleet_row_{}", index));
            if (ImGui::IsItemHovered()) item_tooltip(rank_facts(rank));
            ImGui::SameLine(0, 0);
        }
        draw_fleet_cell(rank, static_cast<FleetColumn>(i));
    }
    ImGui::PopID();
}

/// The row of the cursor; none where the filter hides it.
std::optional<std::size_t> cursor_row(const FleetState& state) {
    if (!state.cursor) return std::nullopt;
    const auto index = state.shown->index_of(*state.cursor);
    if (!index) return std::nullopt;
    const auto found = std::ranges::find(state.places, static_cast<std::uint32_t>(*index));
    return found == state.places.end() ? std::nullopt
                                       : std::optional(static_cast<std::size_t>(found - state.places.begin()));
}

/// Arrow keys go from row to row; Space chooses, Enter opens. Where a frame takes long it sees several of them.
void follow_fleet_keys(FleetState& state, float page_px, Requests& requests) {
    if (!state.is_focused || ImGui::GetIO().WantTextInput || state.places.empty()) return;
    const auto row = cursor_row(state);
    const auto page_rows = std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(page_px / fleet_row_height()));
    const std::ptrdiff_t last = std::ssize(state.places) - 1;
    const auto pressed = [](Key key) { return key_pressed(key, true) ? 1 : 0; };
    std::ptrdiff_t step = pressed(Key::down) - pressed(Key::up);
    step += page_rows * (pressed(Key::page_down) - pressed(Key::page_up));
    step += last * (pressed(Key::end) - pressed(Key::home));
    if (step != 0) {
        const std::ptrdiff_t before = row ? static_cast<std::ptrdiff_t>(*row) : -1;
        const std::ptrdiff_t now = std::clamp<std::ptrdiff_t>(before + step, 0, last);
        state.cursor = place_of(state.shown->ranks[state.places[static_cast<std::size_t>(now)]].row);
        state.scroll_to_cursor = true;
    }
    if (!row && step == 0) return;
    // A letter that came and went between two frames is seen as a character alone.
    for (const ImWchar character : ImGui::GetIO().InputQueueCharacters) {
        if (character == ' ') toggle_chosen(state, *state.cursor);
    }
    if (enter_pressed()) requests.ask(OpenRank{*state.cursor});
}

void keep_cursor_in_sight(FleetState& state, float page_px) {
    if (!std::exchange(state.scroll_to_cursor, false)) return;
    const auto row = cursor_row(state);
    if (!row) return;
    const float top = static_cast<float>(*row) * fleet_row_height();
    if (top < ImGui::GetScrollY()) ImGui::SetScrollY(top);
    if (top + fleet_row_height() > ImGui::GetScrollY() + page_px) ImGui::SetScrollY(top + fleet_row_height() - page_px);
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

const char* fleet_column_name(FleetColumn column) { return k_fleet_headers[static_cast<std::size_t>(column)].name; }

void draw_fleet_table(FleetState& state, Requests& requests) {
    draw_fleet_filter(state);
    const auto [width, height] = ImGui::GetContentRegionAvail();
    if (!ImGui::BeginTable("ranks", static_cast<int>(k_fleet_columns) + 1, k_fleet_table_flags, {0, height})) return;
    set_up_fleet_columns(width);
    follow_fleet_sorting(state);
    const float page_px = height - fleet_row_height();
    follow_fleet_keys(state, page_px, requests);
    keep_cursor_in_sight(state, page_px);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(state.places.size()), fleet_row_height());
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
            draw_fleet_row(state, static_cast<std::size_t>(i), requests);
    }
    ImGui::EndTable();
}

}  // namespace snapviewer
