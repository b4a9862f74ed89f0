#pragma once

#include <imgui.h>

#include <string>

#include "app/features/files/state.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// All of what is shown.
void fit_growing_picture(GrowingPictureState& state);

/// What of the file is shown, in words.
std::string growing_picture_text(const GrowingPictureState& state);

/// Draws the picture as the next item of the current window and follows the mouse: drag, wheel, double click for all.
void draw_growing_picture(GrowingPictureState& state, TimelineCanvas& canvas, ImVec2 size);

}  // namespace snapviewer
