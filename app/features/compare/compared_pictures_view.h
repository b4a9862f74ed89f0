#pragma once

#include <imgui.h>

#include <memory>
#include <optional>

#include "app/features/requests.h"
#include "app/features/timeline/projection.h"
#include "core/analysis/aligned_curves.h"
#include "core/base/ids.h"
#include "core/mesh/mesh.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

class ComparedPicture;
struct ShownComparison;

enum class ComparedSide : std::uint8_t { a, b };

/// An allocation of one of both.
struct ComparedAllocation {
    ComparedSide side = ComparedSide::a;
    AllocationId id;
    bool operator==(const ComparedAllocation&) const = default;
};

/// The pictures of both recordings under one another, between two frames. Places on their axis are steps of A.
struct ComparedPicturesState {
    std::shared_ptr<const ComparedPicture> made;        ///< null until B's is there
    std::shared_ptr<const AlignedCurves> moved_curves;  ///< with B moved by hand; null while it is not
    double later_steps = 0;                             ///< by how much B is moved
    View view;                                          ///< of both
    std::optional<double> cursor;                       ///< the place under the mouse
    std::optional<ComparedAllocation> hovered, chosen;
    bool is_dragging = false;
    bool moves_b = false;  ///< the drag does, not the view
    View pressed_view;     ///< when the button went down
    double pressed_later_steps = 0;
    Projection projection_a, projection_b;  ///< where they were drawn last
    std::string error;                      ///< why B cannot be drawn
};

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
