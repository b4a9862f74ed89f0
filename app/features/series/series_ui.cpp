#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/features/requests.h"
#include "app/features/series/series.h"
#include "app/ui/chart.h"
#include "app/ui/drawn_text.h"
#include "app/ui/feature.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/timeline/view.h"

namespace snapviewer::series {
namespace {

constexpr float k_axis_room = 76;   ///< space left of a plot for amounts, in pixels at scale 1
constexpr float k_clock_room = 20;  ///< space below a plot for times, in pixels at scale 1
constexpr float k_flags_height = 20;
constexpr float k_flag_width = 46;
constexpr std::size_t k_max_layers = 7;
constexpr std::size_t k_max_ranks_explained = 16;

ImU32 line_colour(std::size_t rank) { return palette().lines[rank % palette().lines.size()]; }
/// Colour of a layer. Skips the first colour of the palette, which is as bright as the text.
ImU32 layer_colour(std::size_t layer) {
    return with_alpha(palette().curves[1 + layer % (palette().curves.size() - 1)], 0xd8);
}

/// Height left for a plot and the times below it, once everything above it is drawn.
float height_left(float bottom_px) {
    return std::max(scaled(40), bottom_px - ImGui::GetCursorScreenPos().y - scaled(k_clock_room));
}

void draw_amounts(const Chart& plot) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto height = static_cast<double>(plot.max().y - plot.min().y);
    for (const AxisTick& tick : memory_ticks(0, plot.top_bytes(), height, static_cast<double>(scaled(38)))) {
        const float y = plot.max().y - static_cast<float>(tick.value / plot.top_bytes() * height);
        list->AddLine({plot.min().x, y}, {plot.max().x, y}, palette().grid, scaled(1));
        const ImVec2 size = ImGui::CalcTextSize(tick.label.c_str());
        list->AddText({plot.min().x - scaled(8) - size.x, std::max(y - size.y / 2, plot.min().y)}, palette().axis_text,
                      tick.label.c_str());
    }
}

/// Draws times of day below the plot, or sample numbers if the samples have no times.
void draw_times(const ShownSeries& shown, const Chart& plot) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto width = static_cast<double>(plot.max().x - plot.min().x);
    const auto spacing = static_cast<double>(scaled(120));
    const auto ticks = shown.start_us ? clock_ticks(0, shown.span, *shown.start_us, width, spacing)
                                      : step_ticks(0, shown.span, width, spacing);
    for (const AxisTick& tick : ticks) {
        const float x = plot.x_of_share(tick.value / shown.span);
        list->AddLine({x, plot.min().y}, {x, plot.max().y}, palette().grid, scaled(1));
        const float text_width = ImGui::CalcTextSize(tick.label.c_str()).x;
        const float left = text_left(x, text_width, plot.min().x, plot.max().x);
        list->AddText({left, plot.max().y + scaled(3)}, palette().axis_text, tick.label.c_str());
    }
}

void draw_gaps(const ShownSeries& shown, const Chart& plot) {
    for (const ShownSeriesGap& gap : shown.gaps) {
        const ImVec2 min(plot.x_of_share(gap.begin), plot.min().y), max(plot.x_of_share(gap.end), plot.max().y);
        draw_stripes(ImGui::GetWindowDrawList(), min, max, with_alpha(palette().text_faint, 0x38));
    }
}

/// Draws a curve with gaps in the columns that have no sample.
void draw_pieces(const Chart& plot, const SeriesCurve& bytes, ImU32 colour) {
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i <= bytes.size(); ++i) {
        if (i < bytes.size() && bytes[i]) {
            points.emplace_back((plot.x(i) + plot.x(i + 1)) / 2, plot.y(*bytes[i]));
            continue;
        }
        if (points.size() == 1) points.push_back({points.front().x + scaled(2), points.front().y});
        if (!points.empty()) draw_curve_points(points, colour);
        points.clear();
    }
}

std::string time_words(const ShownSeries& shown, float share) {
    const double at = static_cast<double>(share) * shown.span;
    if (shown.start_us) return format_wall_clock_us(*shown.start_us + static_cast<std::int64_t>(at)).substr(0, 19) + " UTC";
    return fmt::format("sample {}", static_cast<std::int64_t>(std::round(at)) + 1);
}

ImU32 flag_colour(const ShownSeriesDump& dump) { return dump.why == "oom" ? palette().danger : palette().accent; }

/// Draws the flags of snapshots above the plot, each with a line down into it.
void draw_flags(SeriesState& state, float left_px, float width_px, float line_bottom_px, Requests& requests) {
    const ShownSeries& shown = *state.shown;
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({left_px, pos.y});
    const bool is_pressed = click_area("flags", {width_px, scaled(k_flags_height)});
    const bool is_hovered = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ShownSeriesDump* pointed = nullptr;
    for (std::size_t i = 0; i < shown.dumps.size(); ++i) {
        const ShownSeriesDump& dump = shown.dumps[i];
        const float pole = left_px + static_cast<float>(dump.share) * width_px;
        const bool flies_left = pole + scaled(k_flag_width) > left_px + width_px;
        const float left = flies_left ? pole - scaled(k_flag_width) : pole;
        const float right = left + scaled(k_flag_width);
        const float bottom = pos.y + scaled(k_flags_height - 3);
        const float mouse = ImGui::GetIO().MousePos.x;
        if (is_hovered && mouse >= left && mouse < right) pointed = &dump;
        list->AddLine({pole, pos.y}, {pole, line_bottom_px}, with_alpha(flag_colour(dump), 0xa0), scaled(1));
        list->AddRectFilled({left, pos.y}, {right, bottom}, flag_colour(dump), scaled(2));
        const ImVec2 size = ImGui::CalcTextSize(dump.why.c_str());
        list->PushClipRect({left, pos.y}, {right, bottom}, true);
        list->AddText(
            {left + std::max((scaled(k_flag_width) - size.x) / 2, scaled(2)), pos.y + (bottom - pos.y - size.y) / 2}, k_ink,
            dump.why.c_str());
        list->PopClipRect();
        observe_item(fmt::format("series_flag_{}", i), left, pos.y, right, bottom);
    }
    if (pointed == nullptr) return;
    mouse_tooltip(pointed->words);
    if (!is_pressed) return;
    requests.ask(OpenFile{pointed->file});
    state.is_open = false;
}

/// Returns the line nearest to a point of the plot.
std::size_t nearest_rank(const ShownSeries& shown, const Chart& plot, std::size_t column, float y) {
    std::size_t nearest = 0;
    float least = -1;
    for (std::size_t i = 0; i < shown.ranks.size(); ++i) {
        const auto& bytes = shown.ranks[i].allocated[column];
        if (!bytes) continue;
        const float distance = std::abs(plot.y(*bytes) - y);
        if (least >= 0 && distance >= least) continue;
        least = distance;
        nearest = i;
    }
    return nearest;
}

void explain_ranks(const SeriesState& state, std::size_t column, float share) {
    const ShownSeries& shown = *state.shown;
    std::string text = time_words(shown, share);
    for (std::size_t i = 0; i < std::min(shown.ranks.size(), k_max_ranks_explained); ++i) {
        const auto &allocated = shown.ranks[i].allocated[column], &reserved = shown.ranks[i].reserved[column];
        text += fmt::format(
            "\n{}{}  {}", i == state.chosen ? "> " : "", shown.ranks[i].words,
            allocated ? fmt::format("{} of {} reserved", format_bytes(*allocated), format_bytes(*reserved)) : "no sample");
    }
    if (shown.ranks.size() > k_max_ranks_explained)
        text += fmt::format("\nand {} more", shown.ranks.size() - k_max_ranks_explained);
    mouse_tooltip(text);
}

/// Draws the legend of ranks with as many names per line as fit. A click chooses a rank.
void draw_rank_names(SeriesState& state) {
    const std::size_t count = std::min(state.shown->ranks.size(), k_max_ranks_explained);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string& words = state.shown->ranks[i].words;
        const float width = ImGui::CalcTextSize(words.c_str()).x;
        place_legend_item(i == 0, width);
        ImGui::PushID(static_cast<int>(i));
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        if (observed(click_area("name", {width, ImGui::GetTextLineHeight()}), fmt::format("series_rank_{}", i)))
            state.chosen = i;
        ImGui::PopID();
        const ImU32 colour = line_colour(i);
        ImGui::GetWindowDrawList()->AddText(pos, colour, words.c_str());
        const float base = pos.y + ImGui::GetTextLineHeight();
        if (i == state.chosen) ImGui::GetWindowDrawList()->AddLine({pos.x, base}, {pos.x + width, base}, colour, scaled(2));
    }
}

void renew_layers(SeriesState& state) {
    if (state.layers_of == state.shown && state.layers_of_line == state.chosen && state.layers_by_size == state.is_by_size)
        return;
    state.layers = layers_of(*state.shown, state.chosen, state.is_by_size, k_max_layers);
    state.layers_of = state.shown;
    state.layers_of_line = state.chosen;
    state.layers_by_size = state.is_by_size;
}

void draw_layers(const SeriesLayers& layers, const Chart& plot) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t column = 0; column < plot.columns(); ++column) {
        std::uint64_t below = 0;
        for (std::size_t i = 0; i < layers.bytes.size(); ++i) {
            const std::uint64_t bytes = layers.bytes[i][column].value_or(0);
            if (bytes == 0) continue;
            list->AddRectFilled({plot.x(column), plot.y(below + bytes)}, {plot.x(column + 1), plot.y(below)},
                                layer_colour(i));
            below += bytes;
        }
    }
}

void explain_layers(const SeriesState& state, std::size_t column, float share) {
    std::string text = time_words(*state.shown, share);
    const ShownSeriesLine& rank = state.shown->ranks[state.chosen];
    if (!rank.reserved[column]) return mouse_tooltip(text + "\nno sample");
    text += fmt::format("\nreserved  {}\nallocated  {}", format_bytes(*rank.reserved[column]),
                        format_bytes(*rank.allocated[column]));
    for (std::size_t i = state.layers.names.size(); i-- > 0;)
        text += fmt::format("\n{}  {}", state.layers.names[i], format_bytes(state.layers.bytes[i][column].value_or(0)));
    mouse_tooltip(text);
}

void draw_layer_names(const SeriesLayers& layers) {
    const float side = ImGui::GetTextLineHeight() * 0.6F;
    for (std::size_t i = 0; i < layers.names.size(); ++i) {
        const float width = side + scaled(5) + ImGui::CalcTextSize(layers.names[i].c_str()).x;
        place_legend_item(i == 0, width);
        const ImVec2 pos = ImGui::GetCursorScreenPos();
        const float top = pos.y + (ImGui::GetTextLineHeight() - side) / 2;
        ImGui::GetWindowDrawList()->AddRectFilled({pos.x, top}, {pos.x + side, top + side}, layer_colour(i));
        ImGui::GetWindowDrawList()->AddText({pos.x + side + scaled(5), pos.y}, palette().text_dim, layers.names[i].c_str());
        ImGui::Dummy({width, ImGui::GetTextLineHeight()});
    }
}

/// Draws the allocated memory of all ranks as lines over time, with gaps and flags for full snapshots. A click chooses a
/// rank. A click on a flag asks to open that snapshot and clears `is_open`.
void draw_series_ranks(SeriesState& state, float height_px, Requests& requests) {
    const ShownSeries& shown = *state.shown;
    const float bottom_px = ImGui::GetCursorScreenPos().y + height_px;
    const std::size_t shown_count = shown.ranks.size(), count = shown.series.lines.size();
    dim_text(shown_count == count ? "Allocated, by rank" : fmt::format("Allocated, by rank: {} of {}", shown_count, count));
    draw_rank_names(state);
    const float plot_height = height_left(bottom_px) - scaled(k_flags_height);
    const float left = ImGui::GetCursorScreenPos().x + scaled(k_axis_room);
    const float width = std::max(1.0F, ImGui::GetContentRegionAvail().x - scaled(k_axis_room));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({corner.x, corner.y + scaled(k_flags_height)});
    const Chart plot({.id = "series ranks",
                      .rect = "series_ranks",
                      .height_px = plot_height / scaled(1),
                      .columns = k_series_columns,
                      .top_bytes = shown.most_allocated_bytes,
                      .left_px = scaled(k_axis_room)});
    draw_amounts(plot);
    draw_times(shown, plot);
    draw_gaps(shown, plot);
    for (std::size_t i = 0; i < shown.ranks.size(); ++i) {
        if (i != state.chosen) draw_pieces(plot, shown.ranks[i].allocated, with_alpha(line_colour(i), 0xa0));
    }
    draw_pieces(plot, shown.ranks[state.chosen].allocated, line_colour(state.chosen));
    if (const auto column = plot.hovered_column()) {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        plot.draw_line_at(mouse.x, palette().hover);
        explain_ranks(state, *column, plot.mouse_share());
        if (plot.is_clicked()) state.chosen = nearest_rank(shown, plot, *column, mouse.y);
    }
    ImGui::SetCursorScreenPos(corner);
    draw_flags(state, left, width, plot.max().y, requests);
    ImGui::SetCursorScreenPos({corner.x, plot.max().y + scaled(k_clock_room)});
}

/// Draws the memory of the chosen rank as stacked layers over the same time range, with reserved memory as a line.
void draw_series_parts(SeriesState& state, float height_px) {
    const ShownSeries& shown = *state.shown;
    renew_layers(state);
    const float bottom_px = ImGui::GetCursorScreenPos().y + height_px;
    ImGui::AlignTextToFramePadding();
    dim_text(fmt::format("Allocated on {}, by", shown.ranks[state.chosen].words));
    ImGui::SameLine();
    if (observed(ImGui::RadioButton("size of blocks", state.is_by_size), "series_by_sizes")) state.is_by_size = true;
    ImGui::SameLine();
    if (observed(ImGui::RadioButton("pool", !state.is_by_size), "series_by_pools")) state.is_by_size = false;
    draw_layer_names(state.layers);
    const float plot_height = height_left(bottom_px);
    const float corner = ImGui::GetCursorScreenPos().x;
    const Chart plot({.id = "series parts",
                      .rect = "series_parts",
                      .height_px = plot_height / scaled(1),
                      .columns = k_series_columns,
                      .top_bytes = state.layers.most_bytes,
                      .left_px = scaled(k_axis_room)});
    draw_amounts(plot);
    draw_times(shown, plot);
    draw_layers(state.layers, plot);
    draw_gaps(shown, plot);
    draw_pieces(plot, shown.ranks[state.chosen].reserved, palette().text);
    if (const auto column = plot.hovered_column()) {
        plot.draw_line_at(ImGui::GetIO().MousePos.x, palette().hover);
        explain_layers(state, *column, plot.mouse_share());
    }
    ImGui::SetCursorScreenPos({corner, plot.max().y + scaled(k_clock_room)});
}

constexpr float k_plots_share = 0.64F;  ///< share of the plots in the window's width
constexpr float k_ranks_share = 0.5F;   ///< share of the plot of all ranks in the height

/// Draws one text line. A click on a line about a snapshot opens the snapshot.
void draw_summary_line(SeriesState& state, std::size_t index, Requests& requests) {
    const SeriesLineText& line = state.shown->lines[index];
    const float indent = scaled(12) * static_cast<float>(line.depth);
    const std::string text = text_in_lines(line.text, ImGui::GetContentRegionAvail().x - indent);
    const float height = ImGui::CalcTextSize(text.c_str()).y;
    if (line.depth == 0 && index > 0) ImGui::Spacing();
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(index));
    if (line.file.empty()) {
        ImGui::Dummy({1, height});
    } else if (ImGui::Selectable("##line", false, 0, {0, height})) {
        requests.ask(OpenFile{line.file});
        state.is_open = false;
    }
    observe_item("series_line_" + std::to_string(index));
    if (!line.file.empty() && ImGui::IsItemHovered()) item_tooltip("Opens " + line.file);
    ImGui::PopID();
    const ImU32 colour = !line.file.empty() ? palette().accent : line.depth == 0 ? palette().text : palette().text_dim;
    ImGui::GetWindowDrawList()->AddText({pos.x + indent, pos.y}, colour, text.c_str());
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
    ImGui::BeginChild("summary", {0, 0});
    for (std::size_t i = 0; i < state.shown->lines.size(); ++i) draw_summary_line(state, i, requests);
    ImGui::EndChild();
}

/// Draws the progress and the buttons below the plots.
void draw_series_footer(SeriesState& state, Requests& requests) {
    ImGui::Separator();
    if (ImGui::Button("Full snapshots as a fleet")) {
        requests.ask(OpenFleet{state.paths});
        state.is_open = false;
    }
    observe_item("series_fleet");
    ImGui::SameLine();
    if (draw_long_work(state.work, CommandId::series_stop, CommandId::series_restart, requests)) return;
    if (observed(ImGui::Button("Read again"), "series_again")) requests.ask(RunCommand{CommandId::series_restart});
    ImGui::SameLine();
    if (bool is_followed = state.is_followed; observed(ImGui::Checkbox("Follow", &is_followed), "series_follow"))
        requests.ask(RunCommand{CommandId::series_follow});
    if (ImGui::IsItemHovered())
        item_tooltip("Reads new samples as they come, and tells of full snapshots and of ranks that no longer write");
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    draw_paragraph(palette().text_faint,
                   "A click on a curve or a name chooses a rank; a click on a flag opens that snapshot");
}

}  // namespace

void SeriesRuns::draw(Requests& requests) {
    if (!state_.is_open) return;
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    ImGui::SetNextWindowSize({std::min(scaled(1500), 0.96F * room.x), std::min(scaled(1000), 0.9F * room.y)},
                             ImGuiCond_Appearing);
    ImGui::SetNextWindowSizeConstraints({scaled(380), scaled(260)}, {0.98F * room.x, 0.94F * room.y});
    if (begin_floating_window("Series: memory over hours", state_.is_open, ImGuiWindowFlags_NoScrollbar)) {
        // While files are being read, Esc stops the reading and leaves the window open.
        if (!state_.is_open && state_.work.is_running() && key_pressed(Key::escape)) {
            state_.is_open = true;
            requests.ask(RunCommand{CommandId::series_stop});
        }
        const float footer_height = ImGui::GetFrameHeightWithSpacing() + scaled(6);
        ImGui::BeginChild("series body", {0, -footer_height});
        draw_series_body(state_, requests);
        ImGui::EndChild();
        draw_series_footer(state_, requests);
    }
    ImGui::End();
}

}  // namespace snapviewer::series
