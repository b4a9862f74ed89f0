#include "app/features/fleet/fleet_view.h"

#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "app/features/fleet/fleet_bars.h"
#include "app/features/fleet/fleet_curves.h"
#include "app/features/fleet/fleet_table.h"
#include "app/ui/keys.h"
#include "app/ui/panel.h"
#include "app/ui/paragraph.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
namespace {

constexpr float k_told_share = 0.4F;  ///< width of the fleet's summary, as a fraction of the window's width
/// Flags of the window's parts. ImGui's keyboard navigation is off, because the arrow keys always move the cursor of the
/// table.
constexpr ImGuiWindowFlags k_part_flags = ImGuiWindowFlags_NoNavInputs;
constexpr ImGuiWindowFlags k_fleet_window_flags = ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoScrollbar;

float indent_of(const ShownLine& line) { return scaled(10) * static_cast<float>(line.depth); }

/// Updates the line breaks of the fleet's summary if its text or width has changed.
void fit_told(FleetState& state, float width) {
    if (state.told_of == state.shown && state.told_width == width) return;
    state.told.clear();
    for (const ShownLine& line : state.shown->lines) state.told.push_back(text_in_lines(line.text, width - indent_of(line)));
    state.told_of = state.shown;
    state.told_width = width;
}

ImU32 told_colour(const ShownFleet& fleet, const ShownLine& line) {
    if (line.depth == 2) return palette().text_dim;
    if (!line.rank) return line.depth == 0 ? palette().text : palette().text_dim;
    const ShownRank& rank = fleet.ranks[*line.rank];
    return rank.is_readable() ? rank_colour(rank) : palette().danger;
}

/// Draws a line of the fleet's summary. A line about a rank can be clicked like the rank itself.
void draw_told_line(FleetState& state, std::size_t index, Requests& requests) {
    const ShownLine& line = state.shown->lines[index];
    const std::string& text = state.told[index];
    if (text.empty()) return ImGui::Spacing();
    ImGui::PushID(static_cast<int>(index));
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float height = ImGui::CalcTextSize(text.c_str()).y;
    if (line.rank) {
        const RankPlace place = place_of(state.shown->ranks[*line.rank].row);
        if (ImGui::Selectable("##line", state.cursor == place, ImGuiSelectableFlags_AllowDoubleClick, {0, height})) {
            press_rank(state, place, requests);
            state.scroll_to_cursor = true;
        }
        report_rect("fleet_line_" + std::to_string(index));
    } else {
        ImGui::Dummy({1, height});
    }
    ImGui::GetWindowDrawList()->AddText({pos.x + indent_of(line), pos.y}, told_colour(*state.shown, line), text.c_str());
    ImGui::PopID();
}

/// Draws the fleet's summary without its headline, which is above the bars.
void draw_told(FleetState& state, Requests& requests) {
    fit_told(state, ImGui::GetContentRegionAvail().x);
    const auto& lines = state.shown->lines;
    const auto gap = std::ranges::find(lines, std::string(), &ShownLine::text);
    const auto first = static_cast<std::size_t>(gap == lines.end() ? 0 : gap - lines.begin() + 1);
    for (std::size_t i = first; i < lines.size(); ++i) draw_told_line(state, i, requests);
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
    ImGui::BeginChild("told and curves", {ImGui::GetContentRegionAvail().x * k_told_share, 0}, false, k_part_flags);
    ImGui::BeginChild("told",
                      {0, ImGui::GetContentRegionAvail().y - rank_curves_height(state, ImGui::GetContentRegionAvail().y)},
                      false, k_part_flags);
    draw_told(state, requests);
    ImGui::EndChild();
    draw_rank_curves(state);
    ImGui::EndChild();
    ImGui::SameLine(0, scaled(12));
    ImGui::BeginChild("table of ranks", {0, 0}, false, k_part_flags);
    draw_fleet_table(state, requests);
    ImGui::EndChild();
}

void fleet_button(const char* words, const char* rect, bool is_possible, Requests& requests, const Request& request) {
    ImGui::BeginDisabled(!is_possible);
    if (ImGui::Button(words)) requests.ask(request);
    report_rect(rect);
    ImGui::EndDisabled();
    ImGui::SameLine();
}

/// Draws the footer of the fleet window: the progress of reading, and buttons for the possible actions.
void draw_fleet_footer(FleetState& state, Requests& requests) {
    ImGui::Separator();
    const bool can_open = state.cursor.has_value();
    fleet_button("Open", "fleet_open", can_open, requests, OpenRank{state.cursor.value_or(RankPlace{})});
    fleet_button("Compare the two", "fleet_compare", state.chosen.size() == 2, requests, RunCommand{"fleet_compare"});
    if (draw_long_work(state.work, "fleet", requests)) return;
    if (!state.refusal.empty()) return draw_paragraph(palette().danger, state.refusal + ".");
    draw_paragraph(
        palette().text_faint,
        state.work.is_stopped
            ? "Stopped after " + std::to_string(state.files_read) + " of " + std::to_string(state.files) + " files"
            : "Enter opens a rank, Space or Ctrl+click selects two for comparison; F4 returns to this page");
}

}  // namespace

void toggle_chosen(FleetState& state, const RankPlace& place) {
    const auto index = state.shown->index_of(place);
    if (!index || !state.shown->ranks[*index].is_readable()) return;
    if (std::erase(state.chosen, place) > 0) return;
    if (state.chosen.size() == k_most_chosen_ranks) state.chosen.erase(state.chosen.begin());
    state.chosen.push_back(place);
}

void press_rank(FleetState& state, const RankPlace& place, Requests& requests) {
    state.cursor = place;
    if (ImGui::GetIO().KeyCtrl) {
        toggle_chosen(state, place);
        if (state.chosen.size() == 2 && state.chosen.back() == place) requests.ask(RunCommand{"fleet_compare"});
    } else if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        requests.ask(OpenRank{place});
    }
}

void draw_fleet_window(FleetState& state, Requests& requests) {
    state.is_focused = false;
    if (!state.is_open) return;
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    ImGui::SetNextWindowSize({std::min(scaled(1500), 0.96F * room.x), std::min(scaled(1000), 0.9F * room.y)},
                             ImGuiCond_Appearing);
    ImGui::SetNextWindowSizeConstraints({scaled(380), scaled(260)}, {0.98F * room.x, 0.94F * room.y});
    if (begin_floating_window("Fleet: the ranks of a job", state.is_open, k_fleet_window_flags)) {
        state.is_focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
        // While files are being read, Esc stops the reading but does not close the window.
        if (!state.is_open && !state.work.status.empty() && key_pressed(Key::escape)) {
            state.is_open = true;
            requests.ask(RunCommand{"fleet_stop"});
        }
        const float footer_height = ImGui::GetFrameHeightWithSpacing() + scaled(6);
        ImGui::BeginChild("fleet body", {0, -footer_height}, false, k_part_flags);
        draw_fleet_body(state, requests);
        ImGui::EndChild();
        draw_fleet_footer(state, requests);
    }
    ImGui::End();
}

}  // namespace snapviewer
