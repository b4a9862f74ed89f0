#include "app/features/growth/generation_flags.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/features/timeline/axis_foot.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
namespace {

constexpr float k_flag_thickness_px = 1.5F;
constexpr float k_jump_px = 6;  // distance within which a flag snaps to a boundary of a training step

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
    const std::string step = step_text(timeline, static_cast<double>(timeline.step_of_tick(tick)));
    const AxisFoot foot{fmt::format("generation_flag_{}", number),
                        step + "\nDrag: what was allocated between the flags and is still alive is listed on the right",
                        place_of_tick(timeline, axis, tick), k_flag_thickness_px};
    const std::optional<float> dragged_to = draw_axis_foot(foot, canvas);
    return dragged_to ? tick_under(state, canvas, timeline, axis, *dragged_to) : tick;
}

}  // namespace

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

}  // namespace snapviewer
