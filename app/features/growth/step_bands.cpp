#include "app/features/growth/step_bands.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/features/timeline/timeline_axis.h"
#include "app/ui/cut_text.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

/// Maximum number of bands whose rectangles are reported to tests.
constexpr std::size_t k_reported_bands = 64;

double place_of_event(const Timeline& timeline, Axis axis, std::uint32_t event, std::uint64_t step) {
    if (axis == Axis::steps) return static_cast<double>(step);
    return place_of_tick(timeline, axis, tick_of_moment(timeline, event));
}

void draw_bound(float x, const Projection& canvas, bool is_dashed) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 colour = with_alpha(palette().text, 0x70);
    if (!is_dashed) {
        list->AddLine({x, canvas.min.y}, {x, canvas.max.y}, colour);
        return;
    }
    for (float y = canvas.min.y; y < canvas.max.y; y += scaled(8))
        list->AddLine({x, y}, {x, std::min(y + scaled(4), canvas.max.y)}, colour);
}

void draw_step_name(const TrainingStep& step, float left, float right, const Projection& canvas) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 min(std::max(left, canvas.min.x) + 1, canvas.min.y + 1);
    const ImVec2 max(std::min(right, canvas.max.x) - 1, canvas.min.y + ImGui::GetTextLineHeight() + scaled(4));
    if (max.x - min.x < 2) return;
    list->AddRectFilled(min, max, with_alpha(palette().panel, step.is_complete ? 0xd0 : 0x60));
    if (!step.is_complete) list->AddRect(min, max, with_alpha(palette().text, 0x70));
    if (max.x - min.x > scaled(26))
        draw_cut_text(list, {min.x + scaled(4), min.y + scaled(1)}, max.x - scaled(3),
                      step.is_complete ? palette().text : palette().text_dim, step.name);
}

}  // namespace

void draw_step_bands(const Projection& canvas, const Timeline& timeline, Axis axis, const Steps& steps) {
    const auto end_of = [&](const TrainingStep& step) {
        return place_of_event(timeline, axis, step.end_event, step.end_step);
    };
    auto step = std::ranges::upper_bound(steps.steps, canvas.view.x_begin, {}, end_of);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(canvas.min, canvas.max, true);
    const bool is_inferred = steps.method != StepMethod::profiler;
    float drawn_to = canvas.min.x - 1;
    for (std::size_t drawn = 0; step != steps.steps.end(); ++step) {
        const double begin = place_of_event(timeline, axis, step->begin_event, step->begin_step);
        if (begin > canvas.view.x_end) break;
        const auto left = static_cast<float>(canvas.px_of_x(std::max(begin, canvas.view.x_begin)));
        const auto right = static_cast<float>(canvas.px_of_x(std::min(end_of(*step), canvas.view.x_end)));
        if (right - drawn_to < 1) continue;  // skips all but the first of several bands in the same pixel
        drawn_to = right;
        const auto index = static_cast<std::size_t>(step - steps.steps.begin());
        if (index % 2 == 1)
            list->AddRectFilled({left, canvas.min.y}, {right, canvas.max.y}, with_alpha(palette().text, 0x10));
        if (begin >= canvas.view.x_begin) draw_bound(std::round(left), canvas, is_inferred);
        draw_step_name(*step, left, right, canvas);
        if (drawn++ < k_reported_bands) report_rect(fmt::format("step_{}", index), left, canvas.min.y, right, canvas.max.y);
    }
    list->PopClipRect();
}

}  // namespace snapviewer
