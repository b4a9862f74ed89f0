#include "app/views/picture/generation_flags.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/text/timeline_axis.h"
#include "app/window/state_report.h"
#include "app/window/theme.h"
#include "app/window/tooltip.h"

namespace snapviewer {
namespace {

constexpr float k_foot_half_px = 8;
constexpr float k_foot_height_px = 13;
constexpr float k_jump_px = 6;  // as near an edge of a training step, a flag jumps to it

/// Of a flag out of view at the side where it is, so that it can be fetched.
float px_of_flag(const Projection& canvas, const Timeline& timeline, Axis axis, std::uint32_t tick) {
    const double px = canvas.px_of_x(place_of_tick(timeline, axis, tick));
    return static_cast<float>(
        std::round(std::clamp(px, static_cast<double>(canvas.min.x), static_cast<double>(canvas.max.x))));
}

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

/// The foot of a flag, which is moved with the mouse; gives where it stands then.
std::uint32_t draw_flag_foot(const GenerationState& state, const Projection& canvas, const Timeline& timeline, Axis axis,
                             int number, std::uint32_t tick) {
    const float x = px_of_flag(canvas, timeline, axis, tick);
    const float half = scaled(k_foot_half_px);
    const float top = canvas.max.y;
    const float bottom = top + scaled(k_foot_height_px);
    ImGui::SetCursorScreenPos({x - half, top + 1});
    ImGui::PushID(number);
    ImGui::InvisibleButton("generation flag", {2 * half, bottom - top});
    ImGui::PopID();
    report_rect(fmt::format("generation_flag_{}", number));
    const bool is_held = ImGui::IsItemActive();
    if (is_held || ImGui::IsItemHovered()) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        item_tooltip(fmt::format("{}\nDrag: what was born between both flags and still lives is listed to the right",
                                 step_text(timeline, static_cast<double>(timeline.step_of_tick(tick)))));
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 colour = is_held ? palette().text : palette().accent;
    list->AddLine({x, canvas.min.y}, {x, top}, colour, scaled(1.5F));
    list->AddTriangleFilled({x, top}, {x + half, bottom}, {x - half, bottom}, colour);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    return is_held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1) ? tick_under(state, canvas, timeline, axis, mouse.x)
                                                                       : tick;
}

}  // namespace

void draw_generation_flags(GenerationState& state, const Projection& canvas, const Timeline& timeline, Axis axis) {
    ImGui::GetWindowDrawList()->AddRectFilled({px_of_flag(canvas, timeline, axis, state.flags.first), canvas.min.y},
                                              {px_of_flag(canvas, timeline, axis, state.flags.last), canvas.max.y},
                                              with_alpha(palette().accent, 0x20));
    const std::uint32_t first = draw_flag_foot(state, canvas, timeline, axis, 0, state.flags.first);
    const std::uint32_t last = draw_flag_foot(state, canvas, timeline, axis, 1, state.flags.last);
    if (first != state.flags.first)
        state.flags.first = std::min(first, state.flags.last);
    else
        state.flags.last = std::max(last, state.flags.first);
}

}  // namespace snapviewer
