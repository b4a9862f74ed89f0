#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/features/query/queries.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/chart.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"

namespace snapviewer::query {
namespace {

/// Width in pixels of a column of a line. Narrower columns would cost a software rasterizer more time without a visible
/// gain.
constexpr double k_chart_column_px = 2;
constexpr float k_min_canvas_px = 24;
constexpr float k_max_bar_width_px = 96;
constexpr float k_min_label_px = 44;

static_assert(k_max_chart_series <= std::tuple_size_v<decltype(Palette::lines)>);

ImU32 series_colour(const ResultChart& chart, std::size_t index) {
    return chart.series.size() == 1 ? palette().accent : palette().lines[index % palette().lines.size()];
}

/// Draws the names of the axes, and as many series names as fit.
void draw_head(const ResultChart& chart, float right) {
    const std::string words = chart.y_name + "  over  " + chart.x_name;
    need_characters(words);
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    draw_cut_text(ImGui::GetWindowDrawList(), pos, right, palette().text_dim, words);
    float x = pos.x + ImGui::CalcTextSize(words.c_str()).x + scaled(20);
    for (std::size_t i = 0; chart.series.size() > 1 && i < chart.series.size() && x < right - scaled(30); ++i) {
        need_characters(chart.series[i].name);
        const float middle = pos.y + ImGui::GetTextLineHeight() / 2;
        ImGui::GetWindowDrawList()->AddRectFilled({x, middle - scaled(3)}, {x + scaled(12), middle + scaled(3)},
                                                  series_colour(chart, i));
        draw_cut_text(ImGui::GetWindowDrawList(), {x + scaled(17), pos.y}, right, palette().text, chart.series[i].name);
        x += scaled(17 + 14) + ImGui::CalcTextSize(chart.series[i].name.c_str()).x;
    }
    ImGui::Dummy({1, ImGui::GetTextLineHeight()});
}

float widest_label(const std::vector<AxisTick>& ticks) {
    float width = 0;
    for (const AxisTick& tick : ticks) width = std::max(width, ImGui::CalcTextSize(tick.label.c_str()).x);
    return width;
}

void draw_height_marks(const Projection& canvas, const std::vector<AxisTick>& ticks) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const AxisTick& tick : ticks) {
        const float y = std::round(static_cast<float>(canvas.px_of_y(tick.value)));
        const ImVec2 size = ImGui::CalcTextSize(tick.label.c_str());
        list->AddLine({canvas.min.x, y}, {canvas.max.x, y}, palette().grid);
        list->AddText({canvas.min.x - scaled(6) - size.x, y - size.y / 2}, palette().axis_text, tick.label.c_str());
    }
}

/// Draws the labels of the bars; if there are many, only every n-th label.
void draw_bar_names(const Projection& canvas, const ResultChart& chart) {
    const double place_px = canvas.width_px() / static_cast<double>(chart.bars.size());
    const auto stride =
        static_cast<std::size_t>(std::max(1.0, std::ceil(static_cast<double>(scaled(k_min_label_px)) / place_px)));
    for (std::size_t i = 0; i < chart.bars.size(); i += stride) {
        need_characters(chart.bars[i]);
        const auto middle = static_cast<float>(canvas.px_of_x(static_cast<double>(i) + 0.5));
        const float room = static_cast<float>(place_px) * static_cast<float>(stride) - scaled(6);
        const float left = std::max(canvas.min.x, middle - room / 2);
        const float right = std::min(canvas.max.x, middle + room / 2);
        const float width = std::min(ImGui::CalcTextSize(chart.bars[i].c_str()).x, right - left);
        const float from = text_left(middle, width, left, right);
        draw_cut_text(ImGui::GetWindowDrawList(), {from, canvas.max.y + scaled(4)}, from + width + 1, palette().axis_text,
                      chart.bars[i]);
    }
}

void draw_place_marks(const Projection& canvas, const ResultChart& chart) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto spacing = static_cast<double>(scaled(90));
    for (const AxisTick& tick :
         quantity_ticks(chart.x_counts, canvas.view.x_begin, canvas.view.x_end, canvas.width_px(), spacing)) {
        const float x = std::round(static_cast<float>(canvas.px_of_x(tick.value)));
        const ImVec2 size = ImGui::CalcTextSize(tick.label.c_str());
        list->AddLine({x, canvas.min.y}, {x, canvas.max.y}, palette().grid);
        list->AddText({text_left(x, size.x, canvas.min.x, canvas.max.x), canvas.max.y + scaled(4)}, palette().axis_text,
                      tick.label.c_str());
    }
}

/// Draws the bars. The series of one position are side by side. Bars narrower than a pixel overlap, and the highest one is
/// visible.
void draw_bars(const Projection& canvas, const ResultChart& chart, const std::vector<std::vector<ChartPoint>>& points) {
    const auto count = static_cast<double>(chart.series.size());
    const double place_px = canvas.width_px() / static_cast<double>(chart.bars.size());
    const double used_px = std::min(0.8 * place_px, count * static_cast<double>(scaled(k_max_bar_width_px)));
    const auto zero = static_cast<float>(canvas.px_of_y(0));
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        for (const ChartPoint& point : points[i]) {
            const double left = canvas.px_of_x(point.x + 0.5) - used_px / 2 + used_px * static_cast<double>(i) / count;
            const auto top = static_cast<float>(canvas.px_of_y(point.y));
            const auto right =
                static_cast<float>(std::max(left + used_px / count - (used_px / count > 4 ? 1 : 0), left + 1));
            ImGui::GetWindowDrawList()->AddRectFilled({static_cast<float>(left), std::min(zero, top)},
                                                      {right, std::max(zero, top)}, series_colour(chart, i));
        }
    }
}

/// Draws a line with several points in most pixel columns: a box per column, from its lowest to its highest point. It costs
/// a software rasterizer a tenth of the time of smooth lines.
void draw_dense_line(const std::vector<ImVec2>& places, ImU32 colour) {
    const auto column_px = static_cast<float>(k_chart_column_px);
    const float half = scaled(0.8F);
    float before = places.front().y;
    for (std::size_t begin = 0; begin < places.size();) {
        const float left = std::floor(places[begin].x / column_px) * column_px;
        float top = before;
        float bottom = before;
        std::size_t end = begin;
        for (; end < places.size() && places[end].x < left + column_px; ++end) {
            top = std::min(top, places[end].y);
            bottom = std::max(bottom, places[end].y);
        }
        ImGui::GetWindowDrawList()->AddRectFilled({left, top - half}, {left + column_px, bottom + half}, colour);
        before = places[end - 1].y;
        begin = end;
    }
}

void draw_lines(const Projection& canvas, const ResultChart& chart, const std::vector<std::vector<ChartPoint>>& points) {
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        std::vector<ImVec2> places;
        places.reserve(points[i].size());
        for (const ChartPoint& point : points[i])
            places.emplace_back(static_cast<float>(canvas.px_of_x(point.x)), static_cast<float>(canvas.px_of_y(point.y)));
        if (places.size() > static_cast<std::size_t>(canvas.width_px() / k_chart_column_px)) {
            draw_dense_line(places, series_colour(chart, i));
            continue;
        }
        draw_curve_points(places, series_colour(chart, i));
        if (places.size() > static_cast<std::size_t>(canvas.width_px() / 8)) continue;
        for (const ImVec2& place : places)
            ImGui::GetWindowDrawList()->AddCircleFilled(place, scaled(2.2F), series_colour(chart, i));
    }
}

/// Marks the position of a reading with a line. Returns the tooltip with its values.
std::vector<TooltipLine> draw_reading(const Projection& canvas, const ResultChart& chart, const ChartReading& reading) {
    std::vector<TooltipLine> lines = {{reading.place, palette().text_dim}};
    for (const auto& [series, text] : reading.values)
        lines.push_back({text, chart.series.size() > 1 ? series_colour(chart, series) : palette().text});
    const auto px = static_cast<float>(canvas.px_of_x(chart.has_bars ? reading.x + 0.5 : reading.x));
    ImGui::GetWindowDrawList()->AddLine({px, canvas.min.y}, {px, canvas.max.y}, palette().hover, scaled(1));
    return lines;
}

void update_points(ResultChartState& state, const std::shared_ptr<const ResultChart>& chart, const View& view,
                   std::size_t columns) {
    if (state.thinned_of == chart && state.columns == columns) return;
    state.thinned_of = chart;
    state.columns = columns;
    state.points.clear();
    for (const ChartSeries& series : chart->series)
        state.points.push_back(thinned(series.points, view.x_begin, view.x_end, columns));
}

}  // namespace

void draw_result_chart(ResultChartState& state, const std::shared_ptr<const ResultChart>& shown, float height_px) {
    const ResultChart& chart = *shown;
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const ImVec2 end(corner.x + ImGui::GetContentRegionAvail().x, corner.y + height_px);
    draw_head(chart, end.x);
    const float line = ImGui::GetTextLineHeight();
    Projection canvas{
        chart_view(chart), {corner.x, corner.y + line + scaled(8)}, {end.x - scaled(10), end.y - line - scaled(8)}};
    if (canvas.max.y - canvas.min.y < scaled(k_min_canvas_px)) return;
    const std::vector<AxisTick> heights = quantity_ticks(chart.y_counts, canvas.view.y_begin, canvas.view.y_end,
                                                         canvas.height_px(), static_cast<double>(scaled(26)));
    canvas.min.x += std::max(scaled(40), widest_label(heights) + scaled(10));
    if (canvas.max.x - canvas.min.x < scaled(k_min_canvas_px)) return;
    ImGui::SetCursorScreenPos(canvas.min);
    click_area("chart", {canvas.max.x - canvas.min.x, canvas.max.y - canvas.min.y});
    observe_item("query_chart");
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(canvas.min, canvas.max, palette().canvas);
    draw_height_marks(canvas, heights);
    if (chart.has_bars)
        draw_bar_names(canvas, chart);
    else
        draw_place_marks(canvas, chart);
    update_points(state, shown, canvas.view, static_cast<std::size_t>(std::max(1.0, canvas.width_px() / k_chart_column_px)));
    list->PushClipRect({canvas.min.x - 3, canvas.min.y - 3}, {canvas.max.x + 3, canvas.max.y + 3}, true);
    if (chart.has_bars)
        draw_bars(canvas, chart, state.points);
    else
        draw_lines(canvas, chart, state.points);
    if (ImGui::IsItemHovered()) {
        const ChartReading reading = read_chart(chart, canvas.x_at(ImGui::GetIO().MousePos.x));
        tooltip_beside(box_at_mouse(), draw_reading(canvas, chart, reading));
    }
    list->PopClipRect();
    list->AddRect(canvas.min, canvas.max, palette().border);
    ImGui::SetCursorScreenPos({corner.x, end.y});
    ImGui::Dummy({1, 0});
}

}  // namespace snapviewer::query
