#include "app/features/series/series_view.h"

#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "app/features/requests.h"
#include "app/features/series/series_plot.h"
#include "app/ui/keys.h"
#include "app/ui/panel.h"
#include "app/ui/paragraph.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
namespace {

constexpr float k_plots_share = 0.64F;  ///< share of the plots in the window's width
constexpr float k_ranks_share = 0.5F;   ///< share of the plot of all ranks in the height
constexpr ImGuiWindowFlags k_series_window_flags = ImGuiWindowFlags_NoScrollbar;

float indent_of(const SeriesLineText& line) { return scaled(12) * static_cast<float>(line.depth); }

/// Wraps the text lines again if they or the width have changed.
void fit_told(SeriesState& state, float width) {
    if (state.told_of == state.shown && state.told_width == width) return;
    state.told.clear();
    for (const SeriesLineText& line : state.shown->lines)
        state.told.push_back(text_in_lines(line.text, width - indent_of(line)));
    state.told_of = state.shown;
    state.told_width = width;
}

/// Draws one text line. A click on a line about a snapshot opens the snapshot.
void draw_told_line(SeriesState& state, std::size_t index, Requests& requests) {
    const SeriesLineText& line = state.shown->lines[index];
    const std::string& text = state.told[index];
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float height = ImGui::CalcTextSize(text.c_str()).y;
    if (line.depth == 0 && index > 0) ImGui::Spacing();
    const ImVec2 place(pos.x + indent_of(line), ImGui::GetCursorScreenPos().y);
    ImGui::PushID(static_cast<int>(index));
    if (line.file.empty()) {
        ImGui::Dummy({1, height});
    } else if (ImGui::Selectable("##line", false, 0, {0, height})) {
        requests.ask(OpenFile{line.file});
        state.is_open = false;
    }
    report_rect("series_line_" + std::to_string(index));
    if (!line.file.empty() && ImGui::IsItemHovered()) item_tooltip("Opens " + line.file);
    ImGui::PopID();
    const ImU32 colour = !line.file.empty() ? palette().accent : line.depth == 0 ? palette().text : palette().text_dim;
    ImGui::GetWindowDrawList()->AddText(place, colour, text.c_str());
}

void draw_told(SeriesState& state, Requests& requests) {
    fit_told(state, ImGui::GetContentRegionAvail().x);
    for (std::size_t i = 0; i < state.told.size(); ++i) draw_told_line(state, i, requests);
}

void draw_series_body(SeriesState& state, Requests& requests) {
    if (!state.work.error.empty()) draw_paragraph(palette().danger, state.work.error + ".");
    if (state.shown == nullptr) return;
    if (!state.shown->ranks.empty()) {
        ImGui::BeginChild("plots", {ImGui::GetContentRegionAvail().x * k_plots_share, 0});
        const float room = ImGui::GetContentRegionAvail().y - ImGui::GetStyle().ItemSpacing.y;
        draw_series_ranks(state, k_ranks_share * room, requests);
        ImGui::Spacing();
        draw_series_parts(state, (1 - k_ranks_share) * room - ImGui::GetStyle().ItemSpacing.y);
        ImGui::EndChild();
        ImGui::SameLine(0, scaled(16));
    }
    ImGui::BeginChild("told", {0, 0});
    draw_told(state, requests);
    ImGui::EndChild();
}

/// Draws the progress and the buttons below the plots.
void draw_series_footer(SeriesState& state, Requests& requests) {
    ImGui::Separator();
    if (ImGui::Button("Full snapshots as a fleet")) {
        requests.ask(OpenFleet{state.paths});
        state.is_open = false;
    }
    report_rect("series_fleet");
    ImGui::SameLine();
    if (draw_long_work(state.work, "series", requests)) return;
    if (ImGui::Button("Read again")) requests.ask(RunCommand{"series_restart"});
    report_rect("series_again");
    ImGui::SameLine();
    if (bool is_followed = state.is_followed; ImGui::Checkbox("Follow", &is_followed))
        requests.ask(RunCommand{"series_follow"});
    report_rect("series_follow");
    if (ImGui::IsItemHovered())
        item_tooltip("Reads new samples as they come, and tells of full snapshots and of ranks that no longer write");
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    draw_paragraph(palette().text_faint,
                   "A click on a curve or a name chooses a rank; a click on a flag opens that snapshot");
}

}  // namespace

void draw_series_window(SeriesState& state, Requests& requests) {
    if (!state.is_open) return;
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    ImGui::SetNextWindowSize({std::min(scaled(1500), 0.96F * room.x), std::min(scaled(1000), 0.9F * room.y)},
                             ImGuiCond_Appearing);
    ImGui::SetNextWindowSizeConstraints({scaled(380), scaled(260)}, {0.98F * room.x, 0.94F * room.y});
    if (begin_floating_window("Series: memory over hours", state.is_open, k_series_window_flags)) {
        // While files are being read, Esc stops the reading and leaves the window open.
        if (!state.is_open && state.work.is_running() && key_pressed(Key::escape)) {
            state.is_open = true;
            requests.ask(RunCommand{"series_stop"});
        }
        const float footer_height = ImGui::GetFrameHeightWithSpacing() + scaled(6);
        ImGui::BeginChild("series body", {0, -footer_height});
        draw_series_body(state, requests);
        ImGui::EndChild();
        draw_series_footer(state, requests);
    }
    ImGui::End();
}

}  // namespace snapviewer
