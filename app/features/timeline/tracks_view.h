#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/features/preferences.h"
#include "app/features/timeline/curve_samples.h"
#include "app/features/timeline/projection.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

/// A band of Overlays::band_tracks.
struct BandPlace {
    std::size_t track = 0;
    std::size_t band = 0;
    bool operator==(const BandPlace&) const = default;
};

/// A track that the user made of a query's answer.
struct QueryTrack {
    std::shared_ptr<const Timeline> timeline;  ///< the picture below which it is drawn
    CurveTrack track;
    std::string sql;  ///< what was asked
};

/// The tracks between two frames.
struct TracksState {
    std::optional<BandPlace> hovered, selected;
    std::optional<double> cursor_x;  ///< on the axis, while the mouse is over a lane
    View pressed_view;               ///< when the mouse button went down on a lane
    bool is_dragging = false;
    std::optional<std::size_t> to_remove;  ///< of the scene's query tracks: its cross was clicked

    /// The bands of each level of each track, so that those in view are found by halving.
    using Levels = std::vector<std::vector<std::uint32_t>>;
    std::vector<Levels> levels;

    /// After the device or the file changed.
    void forget() { *this = TracksState{}; }
};

struct TracksScene {
    const Timeline& timeline;
    const Overlays& overlays;
    TrackSettings& settings;
    Axis axis = Axis::steps;
    ViewLimits limits;
    std::span<const QueryTrack> query_tracks = {};  ///< of all pictures
};

/// Whether there is anything to draw below the picture.
bool has_tracks(const Overlays& overlays);

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
