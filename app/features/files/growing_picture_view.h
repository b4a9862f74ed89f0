#pragma once

#include <imgui.h>

#include <memory>
#include <string>

#include "app/features/files/growing_picture.h"
#include "app/features/timeline/projection.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// The picture of a file that is still being read, between two frames.
struct GrowingPictureState {
    std::shared_ptr<const GrowingPicture> shown;  ///< null before there is one
    float fraction = 0;                           ///< of the file, that it shows; 0 where nobody knows
    View view;
    bool is_moved = false;  ///< by the user: it no longer shows all there is
    bool is_dragging = false;
    View pressed_view;      ///< when the button went down
    Projection projection;  ///< where it was drawn last
};

/// All of what is shown.
void fit_growing_picture(GrowingPictureState& state);

/// What of the file is shown, in words.
std::string growing_picture_text(const GrowingPictureState& state);

/// Draws the picture as the next item of the current window and follows the mouse: drag, wheel, double click for all.
void draw_growing_picture(GrowingPictureState& state, TimelineCanvas& canvas, ImVec2 size);

}  // namespace snapviewer
