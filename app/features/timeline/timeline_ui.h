#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "app/features/highlight.h"
#include "app/features/preferences.h"
#include "app/features/requests.h"
#include "app/features/timeline/marks_ui.h"
#include "app/features/timeline/overlays_ui.h"
#include "app/features/timeline/ruler_ui.h"
#include "app/features/timeline/state.h"
#include "app/features/timeline/timeline_axis.h"
#include "core/timeline/overlays.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

/// The contents of the picture of a timeline, with its overlays and tracks. Keeps references, which must outlive it.
struct TimelineScene {
    const Timeline& timeline;
    const mesh::Mesh& mesh;
    render::TimelineCanvas& canvas;
    Axis axis = Axis::steps;
    const Overlays& overlays;
    const std::vector<OverlayItem>& items;  ///< legend items of `overlays`
    ViewLimits limits;                      ///< limits of the view, including the visible overlays
    TrackSettings& tracks;
    const mesh::ColourGroups& groups;
    const Highlight* highlight = nullptr;             ///< null for none
    std::optional<std::int64_t> clock_start_us = {};  ///< time of the left edge, if the time axis shows the time of day
    bool has_minimap = false;
    std::span<const QueryTrack> query_tracks = {};   ///< query tracks of all pictures, not only of this one
    std::function<float(ImVec2 pos)> draw_bar = {};  ///< draws a bar to the left of the legend and returns its width
    const Timeline* allocations = nullptr;           ///< the device's allocations; null if `timeline` shows them

    std::optional<std::size_t> highlighted_group() const { return highlight ? highlight->group() : std::nullopt; }
    const Emphasis* highlighted() const { return highlight ? highlight->allocations.get() : nullptr; }
};

/// Total height of all tracks; 0 if there are none to show.
float tracks_height(const TimelineScene& scene);

/// Draws the tracks into a part of the current window; they scroll if they are higher than `size`. `canvas` defines the x
/// axis. Dragging a lane moves `view`, a double click on a band zooms to it, a click selects it. All lanes have a
/// mark at `marked_x`, the position of the mouse in the picture.
void draw_tracks(TracksState& state, CurveSamples& samples, const TimelineScene& scene, const Projection& canvas, View& view,
                 ImVec2 pos, ImVec2 size, std::optional<double> marked_x);

/// Draws the selected band over the picture.
void draw_selected_band(ImDrawList* list, const Projection& canvas, const TimelineScene& scene, const TracksState& state);

/// Draws the picture with its axes and overlays into an area of the current window, without mouse or keyboard input. Returns
/// the position and view of the canvas.
Projection draw_timeline_picture(const TimelineScene& scene, const View& view, AllocationId highlighted,
                                 OverlayState& overlays, ImVec2 pos, ImVec2 size);

/// Draws the selected allocation and the marks of search hits over the picture.
void draw_selected_and_hits(const TimelineScene& scene, const Projection& projection, const Outline& selected,
                            HitMarks& marks);

/// Fills the rest of the current window with the timeline and handles the mouse: drag, wheel, hover, click; a box with the
/// right button, a ruler with Ctrl.
void draw_timeline_view(TimelineState& state, const TimelineScene& scene, DeviceState& device, Requests& requests);

}  // namespace snapviewer
