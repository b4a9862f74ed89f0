#include "app/features/growth/growth.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "app/features/answers/device_answers.h"
#include "app/features/moments/moments.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/canvas_ui.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/timeline/totals.h"

namespace snapviewer::growth {
namespace {

constexpr float k_flag_thickness_px = 1.5F;
constexpr float k_jump_px = 6;  ///< distance within which a flag snaps to a boundary of a training step

std::uint32_t tick_under(const GenerationState& state, const Projection& canvas, const Timeline& timeline, Axis axis,
                         float mouse_px) {
    const double x = canvas.x_at(std::clamp(mouse_px, canvas.min.x, canvas.max.x));
    std::uint32_t tick = timeline.tick_at(axis, std::max(0.0, x));
    double nearest = static_cast<double>(scaled(k_jump_px));
    for (const std::uint32_t edge : state.edges) {
        const double distance =
            std::abs(canvas.px_of_x(place_of_tick(timeline, axis, edge)) - static_cast<double>(mouse_px));
        if (distance >= nearest) continue;
        nearest = distance;
        tick = edge;
    }
    return tick;
}

/// Draws one of the two flags on the time axis and handles dragging. Returns the flag's new tick.
std::uint32_t draw_flag(const GenerationState& state, const Projection& canvas, const Timeline& timeline, Axis axis,
                        int number, std::uint32_t tick) {
    const AxisFoot foot{
        fmt::format("generation_flag_{}", number),
        tick_text(timeline, tick) + "\nDrag: what was allocated between the flags and is still alive is listed on the right",
        place_of_tick(timeline, axis, tick), k_flag_thickness_px};
    const std::optional<float> dragged_to = draw_axis_foot(foot, canvas);
    return dragged_to ? tick_under(state, canvas, timeline, axis, *dragged_to) : tick;
}

/// Draws the two flags of the growth page over the timeline. Their handles are below the time axis and can be dragged.
void draw_generation_flags(GenerationState& state, const Projection& canvas, const Timeline& timeline, Axis axis) {
    ImGui::GetWindowDrawList()->AddRectFilled(
        {px_of_foot(place_of_tick(timeline, axis, state.flags.first), canvas), canvas.min.y},
        {px_of_foot(place_of_tick(timeline, axis, state.flags.last), canvas), canvas.max.y},
        with_alpha(palette().accent, 0x20));
    const std::uint32_t first = draw_flag(state, canvas, timeline, axis, 0, state.flags.first);
    const std::uint32_t last = draw_flag(state, canvas, timeline, axis, 1, state.flags.last);
    if (first != state.flags.first)
        state.flags.first = std::min(first, state.flags.last);
    else
        state.flags.last = std::max(last, state.flags.first);
}

/// Draws a curve of equidistant values. The smallest value is at the bottom, the largest at the top.
void draw_sparkline(ImVec2 min, ImVec2 max, std::span<const std::int64_t> values, ImU32 colour) {
    if (values.size() < 2) return;
    const auto [least, most] = std::ranges::minmax(values);
    const double height = std::max(1.0, static_cast<double>(most) - static_cast<double>(least));
    // More points than pixels would be invisible.
    const std::size_t count = std::min(values.size(), static_cast<std::size_t>(std::max(2.0F, max.x - min.x)));
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t value = values[i * (values.size() - 1) / (count - 1)];
        const auto part = static_cast<float>((static_cast<double>(value) - static_cast<double>(least)) / height);
        points.emplace_back(min.x + static_cast<float>(i) / static_cast<float>(count - 1) * (max.x - min.x),
                            max.y - part * (max.y - min.y));
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
        list->AddQuadFilled(points[i], points[i + 1], {points[i + 1].x, max.y}, {points[i].x, max.y},
                            with_alpha(colour, 0x38));
    list->AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0, scaled(1.5F));
    list->AddCircleFilled(points.back(), scaled(2), colour);
}

constexpr std::size_t k_max_growth_rows = 200;

ImU32 growth_colour(GrowthState state) {
    switch (state) {
        case GrowthState::leak: return palette().danger;
        case GrowthState::possible: return palette().notice;
        case GrowthState::settled: return palette().accent;
        case GrowthState::fluctuating: return palette().text_faint;
    }
    return palette().text_faint;
}

/// Draws the curve of the bytes that all stacks hold together, with a summary above it.
void draw_growth_of_all(const Growth& growth) {
    draw_paragraph(palette().text, growth_sentence(growth));
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const ImVec2 size(ImGui::GetContentRegionAvail().x, scaled(40));
    ImGui::Dummy(size);
    observe_item("growth_all");
    draw_sparkline({pos.x + scaled(2), pos.y + scaled(4)}, {pos.x + size.x - scaled(4), pos.y + size.y - scaled(2)},
                   growth.held, palette().text_dim);
    if (ImGui::IsItemHovered())
        item_tooltip(fmt::format("Everything allocated, after each step:\nfrom {} to {}",
                                 format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, growth.held.front()))),
                                 format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, growth.held.back())))));
    ImGui::Separator();
    ImGui::Spacing();
}

/// Maximum number of bands whose rectangles are passed to the observer.
constexpr std::size_t k_observed_bands = 64;

double place_of_event(const Timeline& timeline, Axis axis, std::uint32_t event, std::uint64_t step) {
    if (axis == Axis::steps) return static_cast<double>(step);
    return place_of_tick(timeline, axis, tick_of_moment(timeline, event));
}

void draw_bound(float x, const Projection& canvas, bool is_dashed) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 colour = with_alpha(palette().text, 0x70);
    if (!is_dashed) return list->AddLine({x, canvas.min.y}, {x, canvas.max.y}, colour);
    for (float y = canvas.min.y; y < canvas.max.y; y += scaled(8))
        list->AddLine({x, y}, {x, std::min(y + scaled(4), canvas.max.y)}, colour);
}

void draw_step_name(const steps::TrainingStep& step, float left, float right, const Projection& canvas) {
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

/// Draws the training steps over a timeline of their device, as bands with a name at the upper edge. The name of an
/// incomplete step is in a hollow box. Boundaries are dashed if they were inferred instead of recorded by the profiler.
/// O(steps in view).
void draw_step_bands(const Projection& canvas, const Timeline& timeline, Axis axis, const steps::Steps& steps) {
    const auto end_of = [&](const steps::TrainingStep& step) {
        return place_of_event(timeline, axis, step.end_event, step.end_step);
    };
    auto step = std::ranges::upper_bound(steps.steps, canvas.view.x_begin, {}, end_of);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(canvas.min, canvas.max, true);
    const bool is_inferred = steps.method != steps::StepMethod::profiler;
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
        if (drawn++ < k_observed_bands) observe_item(fmt::format("step_{}", index), left, canvas.min.y, right, canvas.max.y);
    }
    list->PopClipRect();
}

}  // namespace

void GrowthPage::draw_row(const Growth& growth, std::size_t index, Requests& requests) {
    const GrowthRow& row = growth_row(growth, index);
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float right = pos.x + ImGui::GetContentRegionAvail().x;
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 size(right - pos.x, 2 * line + scaled(4));
    ImGui::PushID(static_cast<int>(index));
    if (observed(ImGui::Selectable("##growth", chosen_ == index, 0, size), fmt::format("growth_row_{}", index)))
        requests.later(fmt::format("go to growth {}", index), [this, index] { go_to(index); });
    if (ImGui::IsItemHovered()) row_tooltip(growth_row_facts(row, growth.training));
    ImGui::PopID();
    if (!ImGui::IsItemVisible()) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 colour = growth_colour(row.state);
    const float spark_width = std::min(scaled(110), 0.28F * size.x);
    const float left = pos.x + scaled(10);
    list->AddRectFilled(pos, {pos.x + scaled(3), pos.y + size.y}, colour);
    const std::string amount =
        format_signed_bytes(static_cast<std::int64_t>(row.slope)) + " per " + steps::step_word(growth.training);
    const float amount_left = right - ImGui::CalcTextSize(amount.c_str()).x;
    draw_cut_text(list, {left, pos.y}, amount_left - scaled(6), colour, growth_state_words(row.state));
    list->AddText({amount_left, pos.y}, palette().text, amount.c_str());
    const float second = pos.y + line + scaled(3);
    push_font(fonts().code);
    const float room = right - spark_width - scaled(8) - left;
    list->AddText({left, second}, palette().text, cut_in_middle(row.source, room).c_str());
    ImGui::PopFont();
    draw_sparkline({right - spark_width, second + scaled(1)}, {right - scaled(3), second + line - scaled(1)}, row.held,
                   colour);
}

void GrowthPage::draw_rows(Requests& requests) {
    const Growth& growth = *answers_.state().answers->growth;
    if (!growth.reason.empty()) return draw_paragraph(palette().text_dim, growth_sentence(growth));
    draw_growth_of_all(growth);
    const std::size_t count = growth_row_count(growth);
    if (count == 0)
        draw_paragraph(palette().text_dim,
                       fmt::format("No stack grows from one {} to the next.", steps::step_word(growth.training)));
    const std::size_t shown = std::min(count, k_max_growth_rows);
    for (std::size_t i = 0; i < shown; ++i) draw_row(growth, i, requests);
    if (shown < count)
        draw_paragraph(palette().text_dim,
                       fmt::format("{} more are in the table growth, in the query pane.", format_count(count - shown)));
}

/// Draws the choice between growth by training step and growth between two flags.
void GrowthPage::draw_choice() {
    const auto choice = [&](const char* words, const char* rect, const char* doc, bool is_of_flags) {
        if (toggle_button(words, is_between_flags_ == is_of_flags, rect, doc)) show_flags(is_of_flags);
    };
    choice("by step", "growth_by_step", "Stacks that hold more after a training step than before it", false);
    ImGui::SameLine(0, scaled(4));
    choice("between flags", "growth_by_flags",
           "What was allocated between two flags and is still alive at the end.\nDrag the flags below the picture.", true);
    ImGui::Spacing();
}

void GrowthPage::draw_generation(Requests& requests) {
    const Timeline& timeline = *session_.current_timeline();
    if (!generation_.is_drawn || generation_.timeline != &timeline)
        return draw_paragraph(palette().text_dim, "The flags are in the picture of allocations.");
    const details::StackList& left = generation_.left;
    draw_paragraph(palette().text, fmt::format("Allocated between {} and {} and alive at the end: {} in {}, {}.",
                                               tick_text(timeline, generation_.flags.first),
                                               tick_text(timeline, generation_.flags.last), format_bytes(left.sum.bytes),
                                               counted(timeline, left.sum.count), counted(left.totals.size(), "stack")));
    observe_item("generation_sum");
    if (const details::ClickedStack clicked = details::draw_stack_list(left, generation_.chosen, "generation_row_")) {
        generation_.chosen = clicked;
        requests.later("highlight what was allocated between the flags", [this, clicked] {
            if (session_.current_timeline() != nullptr)
                moments::highlight_by_stack(selection_, *session_.current_timeline(), allocations_between_flags(),
                                            "allocated between the flags", clicked);
        });
    }
}

/// Fills the rest of the current window with the stacks that grow from training step to training step: leaks first, the
/// largest growth first. Each has a curve of the bytes that it holds after each step. Alternatively lists the allocations
/// that were made between two flags and are still alive. A click on a row highlights its allocations.
void GrowthPage::draw(Requests& requests) {
    ImGui::BeginChild("growth body");
    if (findings::draw_until_ready(answers_.state(), requests)) {
        draw_choice();
        if (is_between_flags_)
            draw_generation(requests);
        else
            draw_rows(requests);
    }
    ImGui::EndChild();
}

void GrowthPage::draw_in_picture() {
    const Timeline& timeline = *session_.current_timeline();
    const Axis axis = session_.current_device().axis;
    const Projection& canvas = session_.timeline.projection;
    const std::shared_ptr<const answers::DeviceAnswers>& answers = answers_.state().answers;
    if (session_.pages.shown == k_growth_page && answers != nullptr && session_.current_kind() == ViewKind::allocations)
        draw_step_bands(canvas, timeline, axis, *answers->steps);
    if (generation_.is_drawn && generation_.timeline == &timeline)
        draw_generation_flags(generation_, canvas, timeline, axis);
}

}  // namespace snapviewer::growth
