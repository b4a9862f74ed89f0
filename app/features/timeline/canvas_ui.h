#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>

#include "app/features/timeline/timeline_axis.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// Space around the canvas for the axis labels, in window pixels.
struct AxisMargins {
    float left = 0, right = 0, top = 0, bottom = 0;
};
AxisMargins axis_margins();

/// Draws grid lines over the canvas, memory labels to its left, and step or time labels below. If `clock_start_us`, the
/// time of the left edge, is set, the labels are times of day.
void draw_axes(ImDrawList* list, const Projection& projection, Axis axis, std::optional<std::int64_t> clock_start_us);

/// Draws the quantity of the x axis above its right end; nothing if `title` is empty.
void draw_axis_title(ImDrawList* list, const Projection& projection, const std::string& title);

/// Draws the edges of one allocation, clipped to the canvas. At most four points per pixel column, however long the
/// allocation lives.
void draw_outline(ImDrawList* list, const Projection& projection, const Outline& outline, ImU32 colour, float thickness_px);

/// A vertical line over the picture with a handle below the axis, by which the user can drag it.
struct AxisFoot {
    std::string name;     ///< id of the handle's ImGui item, and the name under which it is observed
    std::string tooltip;  ///< tooltip of the handle
    double x = 0;         ///< position on the axis; if it is out of view, the handle is at the nearer edge of the canvas
    float thickness_px = 1;
};

/// Draws the line and its handle. While the user drags it, returns the x coordinate of the mouse in pixels, clamped to the
/// canvas.
std::optional<float> draw_axis_foot(const AxisFoot& foot, const Projection& canvas);
/// Returns the x coordinate in pixels at which draw_axis_foot() draws a line.
float px_of_foot(double x, const Projection& canvas);

/// Mouse movement after which a click becomes a drag.
inline constexpr float k_drag_threshold_px = 4.0F;

/// True if the user has just clicked and released the last drawn item. False after a drag, and for the second click of a
/// double click, which has its own meaning.
inline bool is_item_let_go(bool is_dragging) {
    return ImGui::IsItemDeactivated() && !is_dragging && ImGui::GetIO().MouseClickedLastCount[ImGuiMouseButton_Left] == 1;
}

/// Wheel notches in this frame; 0 if the wheel was not turned.
float turned_notches();

/// Returns the view after a turn of the wheel over it. Zooms about the mouse position; with Shift along bytes only, with
/// Ctrl along x only.
View wheeled_view(const Projection& projection, const ViewLimits& limits);

/// Returns the view during a drag, given the view at the time of the button press.
View dragged_view(const View& pressed, const Projection& projection, const ViewLimits& limits);

/// Updates a canvas and draws it into the area of `projection`, which must be entirely inside the window. The canvas must
/// live until the frame is rendered.
void draw_canvas(ImDrawList* list, render::TimelineCanvas& canvas, const Projection& projection, Axis axis,
                 AllocationId highlighted);

}  // namespace snapviewer
