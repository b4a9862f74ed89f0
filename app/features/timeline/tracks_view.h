#pragma once

#include <imgui.h>

#include <optional>
#include <span>

#include "app/features/preferences.h"
#include "app/features/timeline/curve_samples.h"
#include "app/features/timeline/projection.h"
#include "app/features/timeline/state.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

struct TracksScene {
    const Timeline& timeline;
    const Overlays& overlays;
    TrackSettings& settings;
    Axis axis = Axis::steps;
    ViewLimits limits;
    std::span<const QueryTrack> query_tracks = {};  ///< of all pictures
};

/// How high all tracks are together; 0 where there are none to show.
float tracks_height(const TracksScene& scene);

/// Draws the tracks into a part of the current window, scrolling where they are higher than `size`. `canvas` says where the
/// picture's x axis is. Dragging a lane moves `view`, a double click on a band fills it with the band, a click selects one.
/// `marked_x` is a place to be marked in all lanes: the mouse over the picture.
void draw_tracks(TracksState& state, CurveSamples& samples, const TracksScene& scene, const Projection& canvas, View& view,
                 ImVec2 pos, ImVec2 size, std::optional<double> marked_x);

/// The selected band over the picture itself.
void draw_selected_band(ImDrawList* list, const Projection& canvas, const TracksScene& scene, const TracksState& state);

/// The view with the width of a band.
View band_view(const Band& band, Axis axis, const View& view, const ViewLimits& limits);

}  // namespace snapviewer
