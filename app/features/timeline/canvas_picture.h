#pragma once

#include <imgui.h>

#include "app/features/timeline/projection.h"
#include "core/timeline/timeline.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// Updates a canvas and draws it into the area of `projection`, which must be entirely inside the window. Returns true if
/// the canvas had to be rendered again. The canvas must live until the frame is rendered.
bool draw_canvas(ImDrawList* list, TimelineCanvas& canvas, const Projection& projection, Axis axis,
                 AllocationId highlighted);

}  // namespace snapviewer
