#include "app/features/compare/aligned_curves_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "app/features/timeline/timeline_axis.h"
#include "app/ui/curve_plot.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr float k_aligned_height = 120;
constexpr float k_height_over_pictures = 56;
/// Minimum distance between two drawn step boundaries. Boundaries closer than this would be unreadable.
constexpr float k_least_edge_gap_px = 6;

std::uint64_t most_bytes(const AlignedCurves& curves) {
    std::uint64_t most = 0;
    for (const auto* totals : {&curves.a, &curves.b}) {
        for (const auto& bytes : *totals) most = std::max(most, bytes.value_or(0));
    }
    return most;
}

float place_px(const CurvePlot& plot, const AlignedCurves& curves, double place) {
    const double share = std::clamp((place - curves.begin) / (curves.end - curves.begin), 0.0, 1.0);
    return plot.min.x + static_cast<float>(share) * (plot.max.x - plot.min.x);
}

/// Darkens the parts of the curves that the timelines below do not show.
void shade_outside(const CurvePlot& plot, const AlignedCurves& curves, const View& view) {
    const float left = place_px(plot, curves, view.x_begin);
    const float right = place_px(plot, curves, view.x_end);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 shade = with_alpha(palette().window, 0xa0);
    if (left > plot.min.x) list->AddRectFilled(plot.min, {left, plot.max.y}, shade);
    if (right < plot.max.x) list->AddRectFilled({right, plot.min.y}, plot.max, shade);
}

void draw_step_edges(const CurvePlot& plot, const AlignedCurves& curves) {
    float last = plot.min.x - 2 * scaled(k_least_edge_gap_px);
    for (const double edge : curves.step_edges) {
        const auto share = static_cast<float>((edge - curves.begin) / (curves.end - curves.begin));
        const float x = plot.min.x + share * (plot.max.x - plot.min.x);
        if (x - last < scaled(k_least_edge_gap_px)) continue;
        draw_column_line(plot, x, palette().grid);
        last = x;
    }
}

std::string total_words(const std::optional<std::uint64_t>& bytes) { return bytes ? format_bytes(*bytes) : "not recorded"; }

}  // namespace

ImU32 compared_colour_a() { return palette().accent; }
ImU32 compared_colour_b() { return palette().notice; }

void draw_aligned_curves(const ShownComparison& shown, const AlignedCurvesScene& scene, Requests& requests) {
    const AlignedCurves& curves = scene.curves;
    bool is_clicked = false;
    const CurvePlot plot = begin_curve_plot("aligned curves", scene.view ? k_height_over_pictures : k_aligned_height,
                                            curves.a.size(), most_bytes(curves), is_clicked, scene.left_px, scene.right_px);
    report_rect("compare_curves");
    fill_below_curve(plot, curves.a, with_alpha(compared_colour_a(), 0x38));
    draw_step_edges(plot, curves);
    draw_curve(plot, curves.a, compared_colour_a());
    draw_curve(plot, curves.b, compared_colour_b());
    if (scene.view) shade_outside(plot, curves, *scene.view);
    if (scene.cursor) draw_column_line(plot, place_px(plot, curves, *scene.cursor), palette().hover);
    if (!ImGui::IsItemHovered()) return;
    const float share = plot.share_at(ImGui::GetIO().MousePos.x);
    const std::size_t column = plot.column_at(ImGui::GetIO().MousePos.x);
    draw_column_line(plot, plot.x(column), palette().hover);
    const Timeline& timeline = shown.task.a.analyses().timeline();
    const double step = curves.begin + static_cast<double>(share) * (curves.end - curves.begin);
    mouse_tooltip(fmt::format("{} of A\nA  {}\nB  {}", step_text(timeline, step), total_words(curves.a[column]),
                              total_words(curves.b[column])));
    const std::uint32_t moment = timeline.tick_events()[timeline.tick_at(Axis::steps, step)];
    if (is_clicked && curves.a[column] && moment > 0) requests.ask(GoToEvent{moment - 1});
}

}  // namespace snapviewer
