#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/features/fleet/fleet.h"
#include "app/ui/chart.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"

namespace snapviewer::fleet {
namespace {

constexpr float k_bars_height = 128;
constexpr float k_label_room = 18;  ///< height above the highest bar, for the numbers of outliers
constexpr float k_min_gapped = 4;   ///< minimum width of bars that have a gap between them

/// Geometry of the bars of ranks. The plot has a number of places from left to right, each for one or more ranks.
struct BarPlot {
    ImVec2 min, max;
    std::size_t places = 1;
    double top_bytes = 1;

    float left(std::size_t place) const {
        return min.x + static_cast<float>(place) / static_cast<float>(places) * (max.x - min.x);
    }
    float right(std::size_t place) const {
        const float next = left(place + 1);
        return next - left(place) > scaled(k_min_gapped) ? next - scaled(1) : next;
    }
    float y(double bytes) const {
        const float room = max.y - min.y - scaled(k_label_room);
        return max.y - static_cast<float>(bytes / top_bytes) * room;
    }
    std::size_t place_at(float x) const {
        const float share = std::clamp((x - min.x) / (max.x - min.x), 0.0F, 0.9999F);
        return static_cast<std::size_t>(share * static_cast<float>(places));
    }
};

/// Priority of a rank among the ranks that share a place. Only the rank with the highest priority is drawn.
auto weight_of(const ShownRank& rank) {
    const bool ran_out = !rank.row.oom_cause.empty();
    return std::tuple(ran_out, rank.is_outlier, !rank.is_readable(), rank.row.peak_bytes.value_or(0));
}

/// The rank that is drawn at a place, as an index into the fleet's ranks.
std::uint32_t rank_of_place(const FleetState& state, std::size_t place, std::size_t places) {
    const std::size_t count = state.bars.size();
    const auto first = state.bars.begin() + static_cast<std::ptrdiff_t>(place * count / places);
    const auto last = state.bars.begin() + static_cast<std::ptrdiff_t>((place + 1) * count / places);
    return *std::max_element(first, last, [&](std::uint32_t a, std::uint32_t b) {
        return weight_of(state.shown->ranks[a]) < weight_of(state.shown->ranks[b]);
    });
}

void arrange_bars(FleetState& state) {
    if (state.barred_of == state.shown && state.barred_by_peak == state.bars_by_peak) return;
    state.bars.resize(state.shown->ranks.size());
    std::iota(state.bars.begin(), state.bars.end(), 0U);
    const auto peak_of = [&](std::uint32_t rank) { return state.shown->ranks[rank].row.peak_bytes; };
    if (state.bars_by_peak) std::ranges::stable_sort(state.bars, std::greater(), peak_of);
    state.barred_of = state.shown;
    state.barred_by_peak = state.bars_by_peak;
}

void draw_level(const BarPlot& plot, std::size_t place, const std::optional<std::uint64_t>& bytes, ImU32 colour) {
    if (!bytes) return;
    const float y = plot.y(static_cast<double>(*bytes));
    ImGui::GetWindowDrawList()->AddRectFilled({plot.left(place), y}, {plot.right(place), y + scaled(1)}, colour);
}

bool stands_out(const ShownRank& rank) { return rank.is_outlier || !rank.row.oom_cause.empty(); }

/// Draws the bar of a rank. Outliers and ranks that ran out of memory have a minimum width, so that they are always visible.
void draw_bar(const BarPlot& plot, std::size_t place, const ShownRank& rank) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float left = plot.left(place);
    const float right = stands_out(rank) ? std::max(plot.right(place), left + scaled(3)) : plot.right(place);
    const float highest = plot.min.y + scaled(k_label_room);
    if (!rank.is_readable())
        return list->AddRectFilled({left, highest}, {right, plot.max.y}, with_alpha(palette().text_faint, 0x60));
    const float top = plot.y(static_cast<double>(rank.row.peak_bytes.value_or(0)));
    if (stands_out(rank)) list->AddRectFilled({left, highest}, {right, plot.max.y}, palette().canvas);
    list->AddRectFilled({left, top}, {right, plot.max.y}, rank_colour(rank));
    draw_level(plot, place, rank.row.reserved_peak_bytes, palette().text_dim);
    draw_level(plot, place, rank.row.capacity_bytes, palette().danger);
}

/// Draws the number of an outlier, or of a rank that ran out of memory, above its bar, if there is room.
void draw_label(const BarPlot& plot, std::size_t place, const ShownRank& rank, float& last_right) {
    if (!stands_out(rank)) return;
    const std::string text = std::to_string(rank.row.rank);
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    const float middle = (plot.left(place) + plot.right(place)) / 2;
    const float left = text_left(middle, width, plot.min.x, plot.max.x);
    if (left < last_right + scaled(4)) return;
    ImGui::GetWindowDrawList()->AddText({left, plot.min.y}, rank_colour(rank), text.c_str());
    last_right = left + width;
}

void draw_median(const BarPlot& plot, const ShownFleet& fleet) {
    if (!fleet.median_peak_bytes) return;
    const float y = plot.y(*fleet.median_peak_bytes);
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (float x = plot.min.x; x < plot.max.x; x += scaled(9))
        list->AddRectFilled({x, y}, {std::min(x + scaled(5), plot.max.x), y + scaled(1)}, palette().selection);
}

void draw_frame_of(const BarPlot& plot, std::size_t place, ImU32 colour) {
    const ImVec2 corner(plot.left(place) - scaled(1), plot.min.y + scaled(k_label_room));
    ImGui::GetWindowDrawList()->AddRect(corner, {plot.right(place) + scaled(1), plot.max.y}, colour, 0, 0, scaled(1));
}

void draw_bar_items(const FleetState& state, const BarPlot& plot) {
    float last_right = plot.min.x - scaled(8);
    std::vector<std::pair<std::size_t, const ShownRank*>> over_others;
    for (std::size_t place = 0; place < plot.places; ++place) {
        const ShownRank& rank = state.shown->ranks[rank_of_place(state, place, plot.places)];
        if (stands_out(rank))
            over_others.emplace_back(place, &rank);
        else
            draw_bar(plot, place, rank);
    }
    for (const auto& [place, rank] : over_others) {
        draw_bar(plot, place, *rank);
        draw_label(plot, place, *rank, last_right);
    }
    draw_median(plot, *state.shown);
    const auto frame_rank = [&](const RankPlace& rank, ImU32 colour) {
        const auto index = state.shown->index_of(rank);
        if (!index) return;
        const auto at = std::ranges::find(state.bars, static_cast<std::uint32_t>(*index));
        const auto bar = static_cast<std::size_t>(at - state.bars.begin());
        draw_frame_of(plot, bar * plot.places / state.bars.size(), colour);
    };
    for (const RankPlace& rank : state.chosen) frame_rank(rank, palette().text);
    if (state.cursor) frame_rank(*state.cursor, palette().selection);
}

/// Handles a click on a bar: opens the rank if it was read, or chooses it if Ctrl is held.
void press_bar(FleetState& state, const ShownRank& rank, Requests& requests) {
    press_rank(state, place_of(rank.row), requests);
    state.scroll_to_cursor = true;
    if (!ImGui::GetIO().KeyCtrl && rank.is_readable()) requests.ask(RunCommand{CommandId::fleet_open});
}

/// Passes the rectangles of the first bars to the observer.
void observe_bars(const BarPlot& plot) {
    constexpr std::size_t k_max_observed = 64;
    for (std::size_t i = 0; i < std::min(plot.places, k_max_observed); ++i)
        observe_item(fmt::format("fleet_bar_{}", i), plot.left(i), plot.min.y, plot.right(i), plot.max.y);
}

void draw_legend_word(const char* word, std::size_t count, ImU32 colour) {
    ImGui::SameLine(0, scaled(16));
    const float side = ImGui::GetTextLineHeight() * 0.6F;
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float top = pos.y + (ImGui::GetFrameHeight() - side) / 2;
    ImGui::GetWindowDrawList()->AddRectFilled({pos.x, top}, {pos.x + side, top + side}, colour);
    ImGui::Dummy({side, side});
    ImGui::SameLine(0, scaled(5));
    dim_text(format_count(count) + " " + word);
}

void draw_bar_tools(FleetState& state) {
    const char* words = state.bars_by_peak ? "Bars by peak" : "Bars by rank";
    if (observed(ImGui::Button(words), "fleet_bars_order")) state.bars_by_peak = !state.bars_by_peak;
    if (ImGui::IsItemHovered()) item_tooltip("Click for the other order");
    const auto& ranks = state.shown->ranks;
    const auto count = [&](auto&& is_counted) { return static_cast<std::size_t>(std::ranges::count_if(ranks, is_counted)); };
    const std::size_t ran_out = count([](const ShownRank& rank) { return !rank.row.oom_cause.empty(); });
    const std::size_t far = count([](const ShownRank& rank) { return rank.is_outlier && rank.row.oom_cause.empty(); });
    const std::size_t damaged = count([](const ShownRank& rank) { return !rank.is_readable(); });
    ImGui::AlignTextToFramePadding();
    draw_legend_word("ordinary", ranks.size() - ran_out - far - damaged, rank_colour(ShownRank{}));
    if (far > 0) draw_legend_word("far from the median", far, palette().notice);
    if (ran_out > 0) draw_legend_word("out of memory", ran_out, palette().danger);
    if (damaged > 0) draw_legend_word("damaged", damaged, with_alpha(palette().text_faint, 0x90));
}

}  // namespace

std::uint32_t rank_colour(const ShownRank& rank) {
    if (!rank.row.oom_cause.empty()) return palette().danger;
    return rank.is_outlier ? palette().notice : with_alpha(palette().accent, 0xb0);
}

void draw_fleet_bars(FleetState& state, Requests& requests) {
    arrange_bars(state);
    draw_bar_tools(state);
    BarPlot plot;
    plot.min = ImGui::GetCursorScreenPos();
    const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x);
    plot.max = {plot.min.x + width, plot.min.y + scaled(k_bars_height)};
    plot.places = std::clamp<std::size_t>(state.bars.size(), 1, static_cast<std::size_t>(width));
    plot.top_bytes = static_cast<double>(std::max<std::uint64_t>(state.shown->top_bytes, 1));
    const bool is_pressed = observed(click_area("bars", {width, scaled(k_bars_height)}), "fleet_bars");
    ImGui::GetWindowDrawList()->AddRectFilled(plot.min, plot.max, palette().canvas, scaled(3));
    if (state.bars.empty()) return;
    draw_bar_items(state, plot);
    observe_bars(plot);
    if (!ImGui::IsItemHovered()) return;
    const std::size_t place = plot.place_at(ImGui::GetIO().MousePos.x);
    const ShownRank& rank = state.shown->ranks[rank_of_place(state, place, plot.places)];
    draw_frame_of(plot, place, palette().hover);
    mouse_tooltip(rank_facts(rank));
    if (is_pressed) press_bar(state, rank, requests);
}

namespace {

constexpr float k_rank_curves_height = 130;
constexpr float k_min_curves_height = 30;
constexpr float k_max_share = 0.55F;  ///< maximum height of the curves of ranks, as a fraction of the available room
/// Lines of text below the curves: two for names, one for the choice of axis, one for the alignment.
constexpr float k_lines_below = 4;
static_assert(k_max_chosen_ranks == std::tuple_size_v<decltype(Palette::lines)>);

ImU32 colour_of(const FleetState& state, const RankPlace& rank) {
    return chosen_rank_colour(static_cast<std::size_t>(std::ranges::find(state.chosen, rank) - state.chosen.begin()));
}

std::uint64_t highest_of_curves(const compare::ReducedCurves& curves) {
    std::uint64_t highest = 0;
    for (const auto& totals : curves.totals) highest = std::max(highest, highest_bytes(totals));
    return highest;
}

/// True if a curve is aligned with the first one only by its beginning and end.
bool lie_by_their_ends(const compare::ReducedCurves& curves) {
    return curves.methods.size() > 1 &&
           std::ranges::find(curves.methods, compare::Alignment::Method::start) != curves.methods.end();
}

/// Draws the names of the ranks with curves, with as many in a line as fit.
void draw_curve_names(const FleetState& state) {
    for (const RankPlace& rank : state.curves_of) {
        const std::string words = rank_words(rank);
        place_legend_item(rank == state.curves_of.front(), ImGui::CalcTextSize(words.c_str()).x);
        coloured_text(colour_of(state, rank), words);
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
    if (observed(ImGui::RadioButton("by training step", !is_by_clock), "fleet_curves_by_step"))
        state.curves_by_clock = false;
    ImGui::SameLine(0, scaled(14));
    ImGui::BeginDisabled(!state.not_by_clock.empty());
    if (observed(ImGui::RadioButton("by the clock", is_by_clock), "fleet_curves_by_clock")) state.curves_by_clock = true;
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

/// Height of the curves in the remaining room of the window, in pixels at scale 1.
float plot_height(const FleetState& state) {
    const float left = (ImGui::GetContentRegionAvail().y - words_height(state)) / scaled(1);
    return std::clamp(left, k_min_curves_height, k_rank_curves_height);
}

}  // namespace

std::uint32_t chosen_rank_colour(std::size_t place) { return palette().lines[place % palette().lines.size()]; }

float rank_curves_height(const FleetState& state, float room_px) {
    if (state.chosen.empty()) return 0;
    return std::min(scaled(k_rank_curves_height) + words_height(state), k_max_share * room_px);
}

void draw_rank_curves(FleetState& state) {
    if (state.chosen.empty()) return;
    if (!state.curves_of.empty()) {
        const compare::ReducedCurves& curves = state.curves;
        Chart chart({.id = "rank curves",
                     .rect = "fleet_curves",
                     .height_px = plot_height(state),
                     .columns = curves.totals.front().size(),
                     .top_bytes = highest_of_curves(curves)});
        for (const auto& [begin, end] : curves.first_steps)
            chart.draw_grid_line((begin - curves.begin) / (curves.end - curves.begin));
        for (std::size_t i = 0; i < state.curves_of.size(); ++i)
            chart.draw_curve(curves.totals[i], colour_of(state, state.curves_of[i]));
        if (const auto column = chart.hovered_column()) {
            chart.draw_line_at(chart.x(*column), palette().hover);
            explain_column(state, *column, chart.mouse_share());
        }
    }
    draw_curve_names(state);
    draw_axis_choice(state);
    draw_paragraph(palette().text_faint, curves_words(state));
    if (!state.curves_error.empty()) draw_paragraph(palette().danger, state.curves_error + ".");
}

}  // namespace snapviewer::fleet
