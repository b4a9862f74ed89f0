#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>

#include "app/features/timeline/projection.h"
#include "app/features/timeline/timeline_axis.h"

namespace snapviewer {

/// Room beside the canvas for the labels, in window pixels.
struct AxisMargins {
    float left = 0, right = 0, top = 0, bottom = 0;
};
AxisMargins axis_margins();

/// Grid lines over the canvas, memory labels to the left of it, step or time labels below: times of day if `clock_start_us`
/// says when the left edge was.
void draw_axes(ImDrawList* list, const Projection& projection, Axis axis, std::optional<std::int64_t> clock_start_us);

/// What the x axis counts, above its right end; nothing if that goes without saying.
void draw_axis_title(ImDrawList* list, const Projection& projection, const std::string& title);

/// The edges of one allocation, cut at the canvas; at most four points a pixel column, whatever its length.
void draw_outline(ImDrawList* list, const Projection& projection, const Outline& outline, ImU32 colour, float thickness_px);

}  // namespace snapviewer
