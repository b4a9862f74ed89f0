#pragma once

#include "app/features/compare/state.h"
#include "app/features/requests.h"
#include "core/mesh/mesh.h"
#include "core/trace/stack_table.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// The canvases of both timelines. A canvas is null if its timeline cannot be drawn now.
struct ComparedCanvases {
    TimelineCanvas* a = nullptr;
    const Mesh* mesh_a = nullptr;  ///< mesh that the canvas of A shows
    AllocationId selected_a;
    bool a_has_nothing_lit = false;  ///< true if A has no highlighted allocations while B has some
    TimelineCanvas* b = nullptr;
};

/// Zooms out to the full extent of both timelines.
void fit_compared_pictures(ComparedPicturesState& state);

/// Height of each of the two timelines, in pixels, if the comparison is `room_px` high. 0 if there is too little room for
/// timelines.
float compared_picture_height(float room_px);

/// Draws the curves and timelines of a comparison in the width of the current window, and handles mouse drag, wheel, hover
/// and click. A drag with Alt held shifts B alone.
void draw_compared_pictures(ComparedPicturesState& state, const ShownComparison& shown, const ComparedCanvases& canvases,
                            float picture_height_px, Requests& requests);

}  // namespace snapviewer
