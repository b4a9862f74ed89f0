#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "app/features/fleet/fleet.h"
#include "app/features/requests.h"
#include "app/ui/data_table.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"

namespace snapviewer::fleet {
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
    table.take_sorting(state.order.by, state.order.is_descending, k_chosen + 1);
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
    coloured_text(fleet_cell_colour(rank, column), cut_in_middle(text, width));
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
                          chosen_rank_colour(static_cast<std::size_t>(at - state.chosen.begin()) % k_max_chosen_ranks));
    if (observed(ImGui::Checkbox("##chosen", &is_chosen), fmt::format("fleet_choose_{}", row))) toggle_chosen(state, place);
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

/// True if the fleet window, which is being drawn, has the keyboard focus.
bool has_focus() { return ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows); }

/// Handles the keys of the fleet table: arrow keys move the cursor, Space chooses, Enter opens. A slow frame can receive
/// several key presses.
void follow_fleet_keys(const DataTable& table, FleetState& state, Requests& requests) {
    if (!has_focus() || ImGui::GetIO().WantTextInput) return;
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
    if (enter_pressed()) requests.ask(RunCommand{CommandId::fleet_open});
}

void draw_fleet_filter(FleetState& state) {
    ImGui::SetNextItemWidth(std::min(scaled(280), ImGui::GetContentRegionAvail().x * 0.6F));
    ImGui::InputTextWithHint("##filter", "Filter: 7, damaged, node3, eval.py", &state.order.filter);
    observe_item("fleet_filter");
    ImGui::SameLine(0, scaled(10));
    const std::size_t shown = state.places.size();
    const std::size_t all = state.shown->ranks.size();
    dim_text((shown == all ? "" : format_count(shown) + " of ") + format_count(all) + " rows");
}

/// Draws the table of ranks and the field that filters it. A click on a header sorts. Precondition: `state` has a fleet.
/// O(rows on the screen) per frame.
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

constexpr float k_summary_share = 0.4F;  ///< width of the fleet's summary, as a fraction of the window's width
/// Flags of the window's parts. ImGui's keyboard navigation is off, because the arrow keys always move the cursor of the
/// table.
constexpr ImGuiWindowFlags k_part_flags = ImGuiWindowFlags_NoNavInputs;
constexpr ImGuiWindowFlags k_fleet_window_flags = ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoScrollbar;

ImU32 summary_colour(const ShownFleet& fleet, const ShownLine& line) {
    if (line.depth == 2) return palette().text_dim;
    if (!line.rank) return line.depth == 0 ? palette().text : palette().text_dim;
    const ShownRank& rank = fleet.ranks[*line.rank];
    return rank.is_readable() ? rank_colour(rank) : palette().danger;
}

/// Draws a line of the fleet's summary. A line about a rank can be clicked like the rank itself.
void draw_summary_line(FleetState& state, std::size_t index, Requests& requests) {
    const ShownLine& line = state.shown->lines[index];
    if (line.text.empty()) return ImGui::Spacing();
    const float indent = scaled(10) * static_cast<float>(line.depth);
    const std::string text = text_in_lines(line.text, ImGui::GetContentRegionAvail().x - indent);
    ImGui::PushID(static_cast<int>(index));
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float height = ImGui::CalcTextSize(text.c_str()).y;
    if (line.rank) {
        const RankPlace place = place_of(state.shown->ranks[*line.rank].row);
        if (ImGui::Selectable("##line", state.cursor == place, ImGuiSelectableFlags_AllowDoubleClick, {0, height})) {
            press_rank(state, place, requests);
            state.scroll_to_cursor = true;
        }
        observe_item("fleet_line_" + std::to_string(index));
    } else {
        ImGui::Dummy({1, height});
    }
    ImGui::GetWindowDrawList()->AddText({pos.x + indent, pos.y}, summary_colour(*state.shown, line), text.c_str());
    ImGui::PopID();
}

/// Draws the fleet's summary without its headline, which is above the bars.
void draw_summary(FleetState& state, Requests& requests) {
    const auto& lines = state.shown->lines;
    const auto gap = std::ranges::find(lines, std::string(), &ShownLine::text);
    const auto first = static_cast<std::size_t>(gap == lines.end() ? 0 : gap - lines.begin() + 1);
    for (std::size_t i = first; i < lines.size(); ++i) draw_summary_line(state, i, requests);
}

void draw_headline(const FleetState& state) {
    std::string text;
    for (const std::string& path : state.paths) {
        if (!text.empty()) text += ", ";
        text += std::filesystem::path(path).filename().string();
    }
    if (state.shown != nullptr) {
        for (const ShownLine& line : state.shown->lines) {
            if (line.text.empty()) break;
            text += "  ·  " + line.text;
        }
    }
    draw_paragraph(palette().text, text);
    if (ImGui::IsItemHovered() && !state.paths.empty()) item_tooltip(state.paths.front());
    if (!state.work.error.empty()) draw_paragraph(palette().danger, state.work.error + ".");
}

void draw_fleet_body(FleetState& state, Requests& requests) {
    draw_headline(state);
    if (state.shown == nullptr || state.shown->ranks.empty()) return;
    draw_fleet_bars(state, requests);
    ImGui::Spacing();
    // The curves are next to the table, so that the table does not move when ranks are chosen.
    ImGui::BeginChild("summary and curves", {ImGui::GetContentRegionAvail().x * k_summary_share, 0}, false, k_part_flags);
    ImGui::BeginChild("summary",
                      {0, ImGui::GetContentRegionAvail().y - rank_curves_height(state, ImGui::GetContentRegionAvail().y)},
                      false, k_part_flags);
    draw_summary(state, requests);
    ImGui::EndChild();
    draw_rank_curves(state);
    ImGui::EndChild();
    ImGui::SameLine(0, scaled(12));
    ImGui::BeginChild("table of ranks", {0, 0}, false, k_part_flags);
    draw_fleet_table(state, requests);
    ImGui::EndChild();
}

/// Draws a button that runs the command of the same name.
void fleet_button(const char* words, CommandId command, bool is_possible, Requests& requests) {
    ImGui::BeginDisabled(!is_possible);
    command_button(words, command, requests);
    ImGui::EndDisabled();
    ImGui::SameLine();
}

/// Draws the footer of the fleet window: the progress of reading, and buttons for the possible actions.
void draw_fleet_footer(FleetState& state, Requests& requests) {
    ImGui::Separator();
    fleet_button("Open", CommandId::fleet_open, state.cursor.has_value(), requests);
    fleet_button("Compare the two", CommandId::fleet_compare, state.chosen.size() == 2, requests);
    if (draw_long_work(state.work, CommandId::fleet_stop, CommandId::fleet_restart, requests)) return;
    if (!state.refusal.empty()) return draw_paragraph(palette().danger, state.refusal + ".");
    draw_paragraph(
        palette().text_faint,
        state.work.is_stopped
            ? "Stopped after " + std::to_string(state.files_read) + " of " + std::to_string(state.files) + " files"
            : std::string("Enter opens a rank, Space or Ctrl+click selects two for comparison; ") +
                  keys_of(CommandId::tools_fleet) + " returns to this page");
}

}  // namespace

void toggle_chosen(FleetState& state, const RankPlace& place) {
    const auto index = state.shown->index_of(place);
    if (!index || !state.shown->ranks[*index].is_readable()) return;
    if (std::erase(state.chosen, place) > 0) return;
    if (state.chosen.size() == k_max_chosen_ranks) state.chosen.erase(state.chosen.begin());
    state.chosen.push_back(place);
}

void press_rank(FleetState& state, const RankPlace& place, Requests& requests) {
    state.cursor = place;
    if (ImGui::GetIO().KeyCtrl) {
        toggle_chosen(state, place);
        if (state.chosen.size() == 2 && state.chosen.back() == place) requests.ask(RunCommand{CommandId::fleet_compare});
    } else if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        requests.ask(RunCommand{CommandId::fleet_open});
    }
}

void FleetRuns::draw(Requests& requests) {
    if (!state_.is_open) return;
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    ImGui::SetNextWindowSize({std::min(scaled(1500), 0.96F * room.x), std::min(scaled(1000), 0.9F * room.y)},
                             ImGuiCond_Appearing);
    ImGui::SetNextWindowSizeConstraints({scaled(380), scaled(260)}, {0.98F * room.x, 0.94F * room.y});
    if (begin_floating_window("Fleet: the ranks of a job", state_.is_open, k_fleet_window_flags)) {
        if (has_focus()) session_.focused = Pane::fleet;
        // While files are being read, Esc stops the reading but does not close the window.
        if (!state_.is_open && !state_.work.status.empty() && key_pressed(Key::escape)) {
            state_.is_open = true;
            requests.ask(RunCommand{CommandId::fleet_stop});
        }
        const float footer_height = ImGui::GetFrameHeightWithSpacing() + scaled(6);
        ImGui::BeginChild("fleet body", {0, -footer_height}, false, k_part_flags);
        draw_fleet_body(state_, requests);
        ImGui::EndChild();
        draw_fleet_footer(state_, requests);
    }
    ImGui::End();
}

}  // namespace snapviewer::fleet
