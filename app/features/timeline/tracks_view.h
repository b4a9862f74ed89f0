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
    std::span<const QueryTrack> query_tracks = {};  ///< query tracks of all pictures, not only of this one
};

/// Total height of all tracks; 0 if there are none to show.
float tracks_height(const TracksScene& scene);

/// Draws the tracks into a part of the current window; they scroll if they are higher than `size`. `canvas` defines the x
/// axis. Dragging a lane moves `view`, a double click on a band zooms to it, a click selects it. `marked_x`, the position
/// of the mouse in the picture, is marked in all lanes.
void draw_tracks(TracksState& state, CurveSamples& samples, const TracksScene& scene, const Projection& canvas, View& view,
                 ImVec2 pos, ImVec2 size, std::optional<double> marked_x);

/// Draws the selected band over the picture.
void draw_selected_band(ImDrawList* list, const Projection& canvas, const TracksScene& scene, const TracksState& state);

/// Returns `view` with its x range set to that of a band.
View band_view(const Band& band, Axis axis, const View& view, const ViewLimits& limits);

}  // namespace snapviewer
