#include "app/features/growth/growth_view.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <vector>

#include "app/features/answers/device_answers.h"
#include "app/features/answers/growth_text.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/cut_text.h"
#include "app/ui/fonts.h"
#include "app/ui/paragraph.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/number_text.h"

namespace snapviewer {
namespace {

/// Draws a curve of equidistant values. The smallest value is at the bottom, the largest at the top.
void draw_sparkline(ImVec2 min, ImVec2 max, std::span<const std::int64_t> values, ImU32 colour) {
    if (values.size() < 2) return;
    const auto [least, most] = std::ranges::minmax(values);
    const double height = std::max(1.0, static_cast<double>(most) - static_cast<double>(least));
    // points beyond the number of pixels would be invisible
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

constexpr std::size_t k_most_growth_rows = 200;

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
    report_rect("growth_all");
    draw_sparkline({pos.x + scaled(2), pos.y + scaled(4)}, {pos.x + size.x - scaled(4), pos.y + size.y - scaled(2)},
                   growth.held, palette().text_dim);
    if (ImGui::IsItemHovered())
        item_tooltip(fmt::format("Everything allocated, after each step:\nfrom {} to {}",
                                 format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, growth.held.front()))),
                                 format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, growth.held.back())))));
    ImGui::Separator();
    ImGui::Spacing();
}

void draw_growth_row(const Growth& growth, std::size_t index, bool is_chosen, Requests& requests) {
    const GrowthRow& row = growth_row(growth, index);
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float right = pos.x + ImGui::GetContentRegionAvail().x;
    const float line = ImGui::GetTextLineHeight();
    const ImVec2 size(right - pos.x, 2 * line + scaled(4));
    ImGui::PushID(static_cast<int>(index));
    if (ImGui::Selectable("##growth", is_chosen, 0, size)) requests.ask(GoToGrowth{index});
    report_rect(fmt::format("growth_row_{}", index));
    if (ImGui::IsItemHovered()) row_tooltip(growth_row_facts(row, growth.training));
    ImGui::PopID();
    if (!ImGui::IsItemVisible()) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 colour = growth_colour(row.state);
    const float spark_width = std::min(scaled(110), 0.28F * size.x);
    const float left = pos.x + scaled(10);
    list->AddRectFilled(pos, {pos.x + scaled(3), pos.y + size.y}, colour);
    const std::string amount =
        format_signed_bytes(static_cast<std::int64_t>(row.slope)) + " per " + step_word(growth.training);
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

void draw_growth_rows(const FindingsState& state, Requests& requests) {
    const Growth& growth = *state.answers->growth;
    if (!growth.reason.empty()) {
        draw_paragraph(palette().text_dim, growth_sentence(growth));
        return;
    }
    draw_growth_of_all(growth);
    const std::size_t count = growth.suspects.size() + growth.settled.size();
    if (count == 0)
        draw_paragraph(palette().text_dim,
                       fmt::format("No stack grows from one {} to the next.", step_word(growth.training)));
    const std::size_t shown = std::min(count, k_most_growth_rows);
    for (std::size_t i = 0; i < shown; ++i) draw_growth_row(growth, i, state.chosen_growth == i, requests);
    if (shown < count)
        draw_paragraph(palette().text_dim,
                       fmt::format("{} more are in the table growth, in the query pane.", format_count(count - shown)));
}

/// Draws the choice between growth by training step and growth between two flags.
void draw_generation_choice(GenerationState& generation) {
    const auto choice = [&](const char* words, const char* rect, const char* doc, bool is_of_flags) {
        ImGui::PushStyleColor(ImGuiCol_Button,
                              generation.is_chosen == is_of_flags ? palette().accent_soft : palette().raised);
        if (ImGui::Button(words)) generation.is_chosen = is_of_flags;
        ImGui::PopStyleColor();
        report_rect(rect);
        if (ImGui::IsItemHovered()) item_tooltip(doc);
    };
    choice("by step", "growth_by_step", "Stacks that hold more after a training step than before it", false);
    ImGui::SameLine(0, scaled(4));
    choice("between flags", "growth_by_flags",
           "What was allocated between two flags and is still alive at the end.\nDrag the flags below the picture.", true);
    ImGui::Spacing();
}

void draw_generation(GenerationState& generation, const Timeline& timeline, Requests& requests) {
    if (!generation.is_drawn || generation.timeline != &timeline) {
        draw_paragraph(palette().text_dim, "The flags are in the picture of allocations.");
        return;
    }
    const auto at = [&](std::uint32_t tick) {
        return step_text(timeline, static_cast<double>(timeline.step_of_tick(tick)));
    };
    const StackList& left = generation.left;
    draw_paragraph(palette().text,
                   fmt::format("Allocated between {} and {} and alive at the end: {} in {}, {}.", at(generation.flags.first),
                               at(generation.flags.last), format_bytes(left.sum.bytes), counted(timeline, left.sum.count),
                               counted(left.totals.size(), "stack")));
    report_rect("generation_sum");
    if (const ClickedStack clicked = draw_stack_list(left, generation.chosen, "generation_row_")) {
        generation.chosen = clicked;
        requests.ask(EmphasiseChange{ChangeKind::born, clicked});
    }
}

}  // namespace

void draw_growth_view(const FindingsState& state, GenerationState& generation, const Timeline& timeline,
                      Requests& requests) {
    ImGui::BeginChild("growth body");
    if (draw_until_ready(state, requests)) {
        draw_generation_choice(generation);
        if (generation.is_chosen)
            draw_generation(generation, timeline, requests);
        else
            draw_growth_rows(state, requests);
    }
    ImGui::EndChild();
}

}  // namespace snapviewer
