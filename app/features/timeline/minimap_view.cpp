#include "app/features/timeline/minimap_view.h"

#include <algorithm>
#include <cmath>

#include "app/ui/click_area.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

using Grip = MinimapState::Grip;

constexpr float k_strip_px = 34;
constexpr float k_strip_gap_px = 4;
constexpr float k_least_panel_px = 380;
constexpr float k_edge_px = 5;
constexpr std::size_t k_minimap_parts = 4096;

/// Geometry of the strip, with the mapping between pixels and the recording.
struct Strip {
    ImVec2 min, max;
    double x_end = 1;

    double x_at(float px) const { return static_cast<double>(px - min.x) / static_cast<double>(max.x - min.x) * x_end; }
    float px_of(double x) const { return min.x + static_cast<float>(std::clamp(x / x_end, 0.0, 1.0)) * (max.x - min.x); }
};

void keep_totals(MinimapState& state, const Timeline& timeline, Axis axis) {
    if (state.timeline == &timeline && state.axis == axis) return;
    state.timeline = &timeline;
    state.axis = axis;
    state.totals = highest_totals(timeline, axis, k_minimap_parts);
}

void draw_totals(ImDrawList* list, const Strip& strip, const MinimapState& state, std::uint64_t peak_bytes) {
    const auto columns = static_cast<std::size_t>(std::max(1.0F, strip.max.x - strip.min.x));
    const double height = 1.1 * std::max(1.0, static_cast<double>(peak_bytes));
    const auto top_of = [&](std::size_t column) {
        const std::size_t begin = column * k_minimap_parts / columns;
        const std::size_t end = std::clamp((column + 1) * k_minimap_parts / columns, begin + 1, k_minimap_parts);
        const auto from = state.totals.begin() + static_cast<std::ptrdiff_t>(std::min(begin, k_minimap_parts - 1));
        const auto to = state.totals.begin() + static_cast<std::ptrdiff_t>(end);
        const auto highest = static_cast<double>(from < to ? *std::max_element(from, to) : *from);
        return std::round(strip.max.y - (strip.max.y - strip.min.y) * static_cast<float>(highest / height));
    };
    for (std::size_t begin = 0; begin < columns;) {
        const float top = top_of(begin);
        std::size_t end = begin + 1;
        while (end < columns && top_of(end) == top) ++end;
        const float left = strip.min.x + static_cast<float>(begin);
        const float right = strip.min.x + static_cast<float>(end);
        list->AddRectFilled({left, top}, {right, strip.max.y}, palette().accent_soft);
        list->AddRectFilled({left, top}, {right, top + scaled(1.5F)}, palette().accent);
        begin = end;
    }
}

void draw_window(ImDrawList* list, const Strip& strip, float left, float right, bool is_lit) {
    const ImU32 shade = with_alpha(palette().window, 0xa0);
    list->AddRectFilled(strip.min, {left, strip.max.y}, shade);
    list->AddRectFilled({right, strip.min.y}, strip.max, shade);
    const ImU32 edge = is_lit ? palette().text : palette().text_dim;
    list->AddRect({left, strip.min.y}, {right, strip.max.y}, edge, 0, 0, scaled(is_lit ? 1.5F : 1));
}

Grip grip_at(const Strip& strip, const View& view, float mouse_x) {
    const float left = strip.px_of(view.x_begin);
    const float right = strip.px_of(view.x_end);
    // The grip areas extend outwards and only a quarter inwards, so that a narrow window can still be moved.
    const float inner = std::min(scaled(k_edge_px), (right - left) / 4);
    const float outer = scaled(k_edge_px);
    if (mouse_x >= left - outer && mouse_x <= left + inner) return Grip::left;
    if (mouse_x >= right - inner && mouse_x <= right + outer) return Grip::right;
    return mouse_x > left && mouse_x < right ? Grip::window : Grip::none;
}

void move_window(View& view, double begin, double x_end) {
    const double width = view.width();
    view.x_begin = std::clamp(begin, 0.0, std::max(0.0, x_end - width));
    view.x_end = view.x_begin + width;
}

void follow_grip(const MinimapState& state, View& view, double x, const ViewLimits& limits) {
    switch (state.grip) {
        case Grip::none: return;
        case Grip::window: return move_window(view, x - state.held_at, limits.x_end);
        case Grip::left: view.x_begin = std::clamp(x, 0.0, std::max(0.0, view.x_end - limits.min_width)); return;
        case Grip::right:
            view.x_end =
                std::clamp(x, view.x_begin + limits.min_width, std::max(limits.x_end, view.x_begin + limits.min_width));
            return;
    }
}

void press(MinimapState& state, const Strip& strip, View& view, double x, const ViewLimits& limits) {
    state.grip = grip_at(strip, view, ImGui::GetIO().MousePos.x);
    if (state.grip == Grip::none) {
        move_window(view, x - view.width() / 2, limits.x_end);
        state.grip = Grip::window;
    }
    state.held_at = x - view.x_begin;
}

}  // namespace

float minimap_height(float panel_height) {
    return panel_height < scaled(k_least_panel_px) ? 0 : scaled(k_strip_px) + scaled(k_strip_gap_px);
}

void draw_minimap(MinimapState& state, const Timeline& timeline, Axis axis, const ViewLimits& limits, View& view, ImVec2 pos,
                  ImVec2 size) {
    keep_totals(state, timeline, axis);
    const Strip strip{pos, {pos.x + size.x, pos.y + scaled(k_strip_px)}, std::max(limits.x_end, 1e-9)};
    ImGui::SetCursorScreenPos(strip.min);
    click_area("minimap", {strip.max.x - strip.min.x, strip.max.y - strip.min.y});
    report_rect("minimap");
    const bool is_lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
    const double x = strip.x_at(ImGui::GetIO().MousePos.x);
    if (ImGui::IsItemActivated()) press(state, strip, view, x, limits);
    if (!ImGui::IsItemActive()) state.grip = Grip::none;
    if (ImGui::GetIO().MouseDelta.x != 0) follow_grip(state, view, x, limits);
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        view.x_begin = 0;
        view.x_end = std::max(limits.x_end, limits.min_width);
    }
    const Grip under = state.is_dragging() ? state.grip : grip_at(strip, view, ImGui::GetIO().MousePos.x);
    if (is_lit && (under == Grip::left || under == Grip::right)) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);

    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(strip.min, strip.max, palette().canvas);
    draw_totals(list, strip, state, timeline.peak_bytes());
    const float left = std::floor(strip.px_of(view.x_begin));
    const float right = std::max(left + scaled(3), std::ceil(strip.px_of(view.x_end)));
    draw_window(list, strip, left, right, is_lit);
    report_rect("minimap_window", left, strip.min.y, right, strip.max.y);
}

}  // namespace snapviewer
