#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>

#include "app/features/timeline/projection.h"
#include "app/features/timeline/timeline_axis.h"

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

}  // namespace snapviewer
