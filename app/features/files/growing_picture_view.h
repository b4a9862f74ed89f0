#pragma once

#include <imgui.h>

#include <string>

#include "app/features/files/state.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// Zooms the preview out to all of its events.
void fit_growing_picture(GrowingPictureState& state);

/// Text about the part of the file that the preview shows.
std::string growing_picture_text(const GrowingPictureState& state);

/// Draws the preview as the next item of the current window. Dragging pans, the wheel zooms, a double click zooms out.
void draw_growing_picture(GrowingPictureState& state, TimelineCanvas& canvas, ImVec2 size);

}  // namespace snapviewer
