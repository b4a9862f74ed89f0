#include "app/features/timeline/canvas_ui.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "app/ui/drawn_text.h"
#include "app/ui/frame_painter.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/timeline/view.h"

namespace snapviewer {
namespace {

/// Clips a line to a rectangle (Liang-Barsky); returns false if it is outside. Uses doubles, because an end may be 1e12
/// pixels away.
bool clip_line(glm::dvec2& a, glm::dvec2& b, const glm::dvec2& min, const glm::dvec2& max) {
    double enter = 0;
    double leave = 1;
    const glm::dvec2 length = b - a;
    const double edges[4][2] = {
        {-length.x, a.x - min.x}, {length.x, max.x - a.x}, {-length.y, a.y - min.y}, {length.y, max.y - a.y}};
    for (const auto& [towards, room] : edges) {
        if (towards == 0) {
            if (room < 0) return false;
        } else if (towards < 0) {
            enter = std::max(enter, room / towards);
        } else {
            leave = std::min(leave, room / towards);
        }
    }
    if (enter > leave) return false;
    const glm::dvec2 start = a;
    a = start + enter * length;
    b = start + leave * length;
    return true;
}

void draw_clipped(ImDrawList* list, const Projection& projection, glm::dvec2 a, glm::dvec2 b, ImU32 colour,
                  float thickness_px) {
    const double margin = 4;
    const glm::dvec2 min(projection.min.x, projection.min.y), max(projection.max.x, projection.max.y);
    if (!clip_line(a, b, min - margin, max + margin)) return;
    list->AddLine({static_cast<float>(a.x), static_cast<float>(a.y)}, {static_cast<float>(b.x), static_cast<float>(b.y)},
                  colour, thickness_px);
}

std::vector<AxisTick> place_ticks(const Projection& projection, Axis axis, std::optional<std::int64_t> clock_start_us) {
    const double begin = projection.view.x_begin, end = projection.view.x_end, width_px = projection.width_px();
    if (axis == Axis::steps) return step_ticks(begin, end, width_px, static_cast<double>(scaled(130)));
    const auto spacing = static_cast<double>(scaled(150));
    return clock_start_us ? clock_ticks(begin, end, *clock_start_us, width_px, spacing)
                          : time_ticks(begin, end, width_px, spacing);
}

}  // namespace

AxisMargins axis_margins() { return {scaled(104), scaled(14), scaled(12), scaled(30)}; }

void draw_axes(ImDrawList* list, const Projection& projection, Axis axis, std::optional<std::int64_t> clock_start_us) {
    const Palette& colours = palette();
    const View& view = projection.view;
    const float gap = scaled(8);
    const auto spacing = static_cast<double>(scaled(70));
    for (const AxisTick& tick : memory_ticks(view.y_begin, view.y_end, projection.height_px(), spacing)) {
        const float y = std::round(static_cast<float>(projection.px_of_y(tick.value)));
        const ImVec2 size = ImGui::CalcTextSize(tick.label.c_str());
        list->AddLine({projection.min.x, y}, {projection.max.x, y}, colours.grid);
        list->AddText({projection.min.x - gap - size.x, y - size.y / 2}, colours.axis_text, tick.label.c_str());
    }
    for (const AxisTick& tick : place_ticks(projection, axis, clock_start_us)) {
        const float x = std::round(static_cast<float>(projection.px_of_x(tick.value)));
        const ImVec2 size = ImGui::CalcTextSize(tick.label.c_str());
        list->AddLine({x, projection.min.y}, {x, projection.max.y}, colours.grid);
        list->AddLine({x, projection.max.y}, {x, projection.max.y + scaled(4)}, colours.axis_text);
        const float left = text_left(x, size.x, projection.min.x - gap, projection.max.x);
        list->AddText({left, projection.max.y + scaled(7)}, colours.axis_text, tick.label.c_str());
    }
    list->AddRect(projection.min, projection.max, colours.border);
}

void draw_axis_title(ImDrawList* list, const Projection& projection, const std::string& title) {
    if (title.empty()) return;
    const ImVec2 size = ImGui::CalcTextSize(title.c_str());
    const ImVec2 corner(projection.max.x - size.x - scaled(10), projection.max.y - size.y - scaled(8));
    draw_boxed_text(list, corner, {scaled(6), scaled(2)}, with_alpha(palette().canvas, 0xd0), palette().text, title);
}

void draw_outline(ImDrawList* list, const Projection& projection, const Outline& outline, ImU32 colour, float thickness_px) {
    if (outline.is_empty()) return;
    const auto at = [&](std::size_t i, double raise) {
        return projection.px_of({outline.x[i], outline.low_bytes[i] + raise});
    };
    const auto draw = [&](glm::dvec2 a, glm::dvec2 b) { draw_clipped(list, projection, a, b, colour, thickness_px); };
    const std::vector<std::size_t> points =
        visible_points(outline, projection.view, projection.view.width() / projection.width_px());
    for (const double raise : {0.0, outline.size_bytes}) {
        for (std::size_t i = 1; i < points.size(); ++i) draw(at(points[i - 1], raise), at(points[i], raise));
    }
    const std::size_t last = outline.x.size() - 1;
    draw(at(0, 0), at(0, outline.size_bytes));
    draw(at(last, 0), at(last, outline.size_bytes));
}

namespace {

constexpr float k_foot_half_px = 8;
constexpr float k_foot_height_px = 13;

}  // namespace

float px_of_foot(double x, const Projection& canvas) { return std::round(canvas.column_of(x)); }

std::optional<float> draw_axis_foot(const AxisFoot& foot, const Projection& canvas) {
    const float x = px_of_foot(foot.x, canvas);
    const float half = scaled(k_foot_half_px);
    const float top = canvas.max.y;
    const float bottom = top + scaled(k_foot_height_px);
    ImGui::SetCursorScreenPos({x - half, top + 1});
    click_area(foot.name.c_str(), {2 * half, bottom - top});
    observe_item(foot.name);
    const bool is_held = ImGui::IsItemActive();
    if (is_held || ImGui::IsItemHovered()) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
        item_tooltip(foot.tooltip);
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 colour = is_held ? palette().text : palette().accent;
    list->AddLine({x, canvas.min.y}, {x, top}, colour, scaled(foot.thickness_px));
    list->AddTriangleFilled({x, top}, {x + half, bottom}, {x - half, bottom}, colour);
    if (!is_held || !ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1)) return std::nullopt;
    return std::clamp(ImGui::GetIO().MousePos.x, canvas.min.x, canvas.max.x);
}

float turned_notches() {
    const ImGuiIO& io = ImGui::GetIO();
    // Some systems report a sideways wheel while Shift is held.
    return io.MouseWheel != 0 ? io.MouseWheel : (io.KeyShift ? io.MouseWheelH : 0);
}

View wheeled_view(const Projection& projection, const ViewLimits& limits) {
    const ImGuiIO& io = ImGui::GetIO();
    const double factor = std::pow(k_zoom_per_notch, static_cast<double>(turned_notches()));
    return zoom_view(projection.view, projection.x_at(io.MousePos.x), projection.y_at(io.MousePos.y),
                     io.KeyShift ? 1.0 : factor, io.KeyCtrl ? 1.0 : factor, limits);
}

View dragged_view(const View& pressed, const Projection& projection, const ViewLimits& limits) {
    const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0);
    return pan_view(pressed, -static_cast<double>(moved.x) / projection.width_px() * pressed.width(),
                    static_cast<double>(moved.y) / projection.height_px() * pressed.height(), limits);
}

namespace {

int framebuffer_pixels(float length, float scale) { return std::max(1, static_cast<int>(std::lround(length * scale))); }

glm::vec3 to_rgb(ImU32 colour) {
    const ImVec4 shares = to_vec4(colour);
    return {shares.x, shares.y, shares.z};
}

}  // namespace

void draw_canvas(ImDrawList* list, render::TimelineCanvas& canvas, const Projection& projection, Axis axis,
                 AllocationId highlighted) {
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    canvas.renderer().set_background(to_rgb(palette().picture));
    canvas.update(projection.view, axis, framebuffer_pixels(projection.max.x - projection.min.x, scale.x),
                  framebuffer_pixels(projection.max.y - projection.min.y, scale.y), highlighted);
    add_picture_command(list, canvas, projection.min, projection.max);
}

}  // namespace snapviewer
