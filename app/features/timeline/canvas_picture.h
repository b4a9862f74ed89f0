#pragma once

#include <imgui.h>

#include "app/features/timeline/projection.h"
#include "core/timeline/timeline.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// Brings a canvas up to date and puts it where the projection says, which must lie within the window as a whole. Returns
/// whether it had to be drawn. The canvas must live until the frame is rendered.
bool draw_canvas(ImDrawList* list, TimelineCanvas& canvas, const Projection& projection, Axis axis,
                 AllocationId highlighted);

}  // namespace snapviewer
