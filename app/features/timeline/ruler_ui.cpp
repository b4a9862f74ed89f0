#include "app/features/timeline/ruler_ui.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/stack_names.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_stacks = 3;
constexpr float k_max_width_px = 360;

/// Length of the measured range, as "360 steps  ·  3.2 ms"; without the time if the file has no times.
std::string stretch_text(const RulerState& ruler, const Timeline& timeline) {
    const std::uint64_t steps = timeline.step_of_tick(ruler.last_tick) - timeline.step_of_tick(ruler.first_tick);
    std::string text = counted(steps, "step");
    if (!timeline.has_times()) return text;
    const std::span<const std::int64_t> times = timeline.tick_times_us();
    return text + "  ·  " + format_duration_us(times[ruler.last_tick] - times[ruler.first_tick]);
}

void draw_ends(const RulerState& ruler, const Projection& canvas, ImDrawList* list) {
    const auto [left, right] =
        std::minmax({static_cast<float>(canvas.px_of_x(ruler.x_from)), static_cast<float>(canvas.px_of_x(ruler.x_to))});
    const auto [top, bottom] =
        std::minmax({static_cast<float>(canvas.px_of_y(ruler.y_from)), static_cast<float>(canvas.px_of_y(ruler.y_to))});
    list->AddRectFilled({left, canvas.min.y}, {right, canvas.max.y}, with_alpha(palette().accent, 0x30));
    for (const float x : {left, right}) list->AddLine({x, canvas.min.y}, {x, canvas.max.y}, palette().accent);
    for (const float y : {top, bottom}) list->AddLine({left, y}, {right, y}, palette().accent);
}

}  // namespace

void measure(RulerState& ruler, const Timeline& timeline, Axis axis) {
    if (!ruler.is_shown) return;
    const std::uint32_t first = timeline.tick_at(axis, std::min(ruler.x_from, ruler.x_to));
    const std::uint32_t last = timeline.tick_at(axis, std::max(ruler.x_from, ruler.x_to));
    if (ruler.has_totals && first == ruler.first_tick && last == ruler.last_tick) return;
    ruler.has_totals = true;
    ruler.first_tick = first;
    ruler.last_tick = last;
    ruler.totals = range_totals(timeline, first, last, k_stacks);
}

std::vector<std::string> ruler_lines(const RulerState& ruler, const Timeline& timeline) {
    const RangeTotals& totals = ruler.totals;
    const double height_bytes = std::abs(ruler.y_to - ruler.y_from);
    std::vector<std::string> lines = {
        stretch_text(ruler, timeline), "height " + format_bytes(static_cast<std::uint64_t>(height_bytes)),
        (totals.net_bytes < 0 ? "net " : "net +") + format_signed_bytes(totals.net_bytes),
        fmt::format("allocated {} in {}", format_bytes(totals.made.bytes), format_count(totals.made.count)),
        fmt::format("freed {} in {}", format_bytes(totals.freed.bytes), format_count(totals.freed.count))};
    for (const StackTotal& total : totals.stacks)
        lines.push_back(format_bytes(total.bytes) + "  " + stack_name(timeline, total.stack));
    return lines;
}

void draw_ruler(const RulerState& ruler, const Timeline& timeline, const Projection& canvas) {
    if (!ruler.is_shown || !ruler.has_totals) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(canvas.min, canvas.max, true);
    draw_ends(ruler, canvas, list);
    const std::vector<std::string> lines = ruler_lines(ruler, timeline);
    float width = 0;
    for (const std::string& line : lines) width = std::max(width, ImGui::CalcTextSize(line.c_str()).x);
    const float pad = scaled(8);
    width = std::min({width + 2 * pad, scaled(k_max_width_px), canvas.max.x - canvas.min.x});
    const float line_height = ImGui::GetTextLineHeightWithSpacing();
    const float middle = static_cast<float>(canvas.px_of_x(std::midpoint(ruler.x_from, ruler.x_to)));
    const float left = std::round(text_left(middle, width, canvas.min.x, canvas.max.x));
    const ImVec2 corner(left, canvas.min.y + pad);
    const ImVec2 end(left + width, corner.y + 2 * pad + static_cast<float>(lines.size()) * line_height);
    list->AddRectFilled(corner, end, palette().raised, scaled(4));
    list->AddRect(corner, end, palette().border, scaled(4));
    observe_item("ruler", corner.x, corner.y, end.x, end.y);
    float y = corner.y + pad;
    for (const std::string& line : lines) {
        draw_cut_text(list, {left + pad, y}, end.x - pad, y == corner.y + pad ? palette().text : palette().text_dim, line);
        y += line_height;
    }
    list->PopClipRect();
}

}  // namespace snapviewer
