#include "app/features/fleet/fleet_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/ui/curve_plot.h"
#include "app/ui/paragraph.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr float k_rank_curves_height = 130;
constexpr float k_least_curves_height = 30;
constexpr float k_most_share = 0.55F;  ///< maximum height of the curves of ranks, as a fraction of the available room
/// Lines of text below the curves: two for names, one for the choice of axis, one for the alignment.
constexpr float k_lines_below = 4;
/// Minimum distance between two drawn beginnings of steps. Marks closer than this would be unreadable.
constexpr float k_least_step_gap_px = 6;
static_assert(k_most_chosen_ranks == std::tuple_size_v<decltype(Palette::lines)>);

ImU32 colour_of(const FleetState& state, const RankPlace& rank) {
    return chosen_rank_colour(static_cast<std::size_t>(std::ranges::find(state.chosen, rank) - state.chosen.begin()));
}

std::uint64_t most_of_curves(const ReducedCurves& curves) {
    std::uint64_t most = 0;
    for (const auto& totals : curves.totals) {
        for (const auto& bytes : totals) most = std::max(most, bytes.value_or(0));
    }
    return most;
}

void draw_step_begins(const CurvePlot& plot, const ReducedCurves& curves) {
    float last = plot.min.x - 2 * scaled(k_least_step_gap_px);
    for (const auto& [begin, end] : curves.first_steps) {
        const auto share = static_cast<float>((begin - curves.begin) / (curves.end - curves.begin));
        const float x = plot.min.x + share * (plot.max.x - plot.min.x);
        if (x - last < scaled(k_least_step_gap_px)) continue;
        draw_column_line(plot, x, palette().grid);
        last = x;
    }
}

/// True if a curve is aligned with the first one only by its beginning and end.
bool lie_by_their_ends(const ReducedCurves& curves) {
    return curves.methods.size() > 1 && std::ranges::find(curves.methods, Alignment::Method::start) != curves.methods.end();
}

/// Draws the names of the ranks with curves, with as many in a line as fit.
void draw_curve_names(const FleetState& state) {
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    for (const RankPlace& rank : state.curves_of) {
        const std::string words = rank_words(rank);
        const bool is_first = rank == state.curves_of.front();
        if (!is_first && ImGui::GetItemRectMax().x + scaled(14) + ImGui::CalcTextSize(words.c_str()).x < right)
            ImGui::SameLine(0, scaled(14));
        ImGui::PushStyleColor(ImGuiCol_Text, colour_of(state, rank));
        ImGui::TextUnformatted(words.c_str());
        ImGui::PopStyleColor();
    }
}

std::string curves_words(const FleetState& state) {
    if (!state.curves_status.empty()) return state.curves_status;
    if (state.curves.start_us) {
        return fmt::format("{}, from {} UTC on.", format_duration_us(static_cast<std::int64_t>(state.curves.end)),
                           format_wall_clock_us(*state.curves.start_us));
    }
    if (state.curves_of.size() < 2) return "";
    if (state.curves_by_clock && !state.not_by_clock.empty()) return state.not_by_clock + ".";
    return lie_by_their_ends(state.curves) ? "Each is scaled to the full width, because not every file has training steps."
                                           : "Aligned by training step.";
}

/// Draws the choice of the axis that aligns the curves. No-op for a single curve.
void draw_axis_choice(FleetState& state) {
    if (state.curves_of.size() < 2) return;
    const bool is_by_clock = state.curves.start_us.has_value();
    if (ImGui::RadioButton("by training step", !is_by_clock)) state.curves_by_clock = false;
    report_rect("fleet_curves_by_step");
    ImGui::SameLine(0, scaled(14));
    ImGui::BeginDisabled(!state.not_by_clock.empty());
    if (ImGui::RadioButton("by the clock", is_by_clock)) state.curves_by_clock = true;
    report_rect("fleet_curves_by_clock");
    ImGui::EndDisabled();
    if (!state.not_by_clock.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        item_tooltip(state.not_by_clock);
}

void explain_column(const FleetState& state, std::size_t column, float share) {
    std::string text;
    if (const auto start_us = state.curves.start_us)
        text = format_wall_clock_us(*start_us + static_cast<std::int64_t>(share * state.curves.end)) + " UTC";
    for (std::size_t i = 0; i < state.curves_of.size(); ++i) {
        const auto& bytes = state.curves.totals[i][column];
        text += fmt::format("{}{}  {}", text.empty() ? "" : "\n", rank_words(state.curves_of[i]),
                            bytes ? format_bytes(*bytes) : "not recorded");
    }
    mouse_tooltip(text);
}

/// Height of the text below the curves, in pixels.
float words_height(const FleetState& state) {
    const float lines = state.curves_error.empty() ? k_lines_below : 2 * k_lines_below;
    return lines * ImGui::GetTextLineHeightWithSpacing();
}

/// Height of the curves for the remaining room of the window, before scaling with the font.
float plot_height(const FleetState& state) {
    const float left = (ImGui::GetContentRegionAvail().y - words_height(state)) / scaled(1);
    return std::clamp(left, k_least_curves_height, k_rank_curves_height);
}

}  // namespace

ImU32 chosen_rank_colour(std::size_t place) { return palette().lines[place % palette().lines.size()]; }

float rank_curves_height(const FleetState& state, float room_px) {
    if (state.chosen.empty()) return 0;
    return std::min(scaled(k_rank_curves_height) + words_height(state), k_most_share * room_px);
}

void draw_rank_curves(FleetState& state) {
    if (state.chosen.empty()) return;
    if (!state.curves_of.empty()) {
        bool is_clicked = false;
        const CurvePlot plot = begin_curve_plot("rank curves", plot_height(state), state.curves.totals.front().size(),
                                                most_of_curves(state.curves), is_clicked);
        report_rect("fleet_curves");
        draw_step_begins(plot, state.curves);
        for (std::size_t i = 0; i < state.curves_of.size(); ++i)
            draw_curve(plot, state.curves.totals[i], colour_of(state, state.curves_of[i]));
        if (ImGui::IsItemHovered()) {
            const std::size_t column = plot.column_at(ImGui::GetIO().MousePos.x);
            draw_column_line(plot, plot.x(column), palette().hover);
            explain_column(state, column, plot.share_at(ImGui::GetIO().MousePos.x));
        }
    }
    draw_curve_names(state);
    draw_axis_choice(state);
    draw_paragraph(palette().text_faint, curves_words(state));
    if (!state.curves_error.empty()) draw_paragraph(palette().danger, state.curves_error + ".");
}

}  // namespace snapviewer
