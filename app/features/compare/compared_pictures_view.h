#pragma once

#include "app/features/compare/state.h"
#include "app/features/requests.h"
#include "core/base/ids.h"
#include "core/mesh/mesh.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// What they are drawn with; null what cannot be drawn now.
struct ComparedCanvases {
    TimelineCanvas* a = nullptr;
    const Mesh* mesh_a = nullptr;  ///< what `a` shows
    AllocationId selected_a;
    bool a_has_nothing_lit = false;  ///< while something of B stands out
    TimelineCanvas* b = nullptr;
};

/// All of both.
void fit_compared_pictures(ComparedPicturesState& state);

/// How high the curves and both pictures can be in so much room; 0 where there is too little for pictures.
float compared_picture_height(float room_px);

/// Draws curves and pictures into the width of the current window and follows the mouse: drag, wheel, hover, click; with Alt
/// held a drag moves B alone.
void draw_compared_pictures(ComparedPicturesState& state, const ShownComparison& shown, const ComparedCanvases& canvases,
                            float picture_height_px, Requests& requests);

}  // namespace snapviewer
