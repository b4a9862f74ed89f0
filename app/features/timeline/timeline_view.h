#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>

#include "app/features/overlay_choice.h"
#include "app/features/requests.h"
#include "app/features/timeline/block_names_view.h"
#include "app/features/timeline/group_legend.h"
#include "app/features/timeline/hit_marks.h"
#include "app/features/timeline/minimap_view.h"
#include "app/features/timeline/note_flags.h"
#include "app/features/timeline/overlay_view.h"
#include "app/features/timeline/projection.h"
#include "app/features/timeline/ruler_view.h"
#include "app/features/timeline/state.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/features/timeline/tracks_view.h"
#include "render/timeline_canvas.h"

namespace snapviewer {

struct TimelineScene {
    const Timeline& timeline;
    const Mesh& mesh;
    TimelineCanvas& canvas;
    Axis axis = Axis::steps;
    const Overlays& overlays;
    const std::vector<OverlayItem>& items;  ///< legend items of `overlays`
    ViewLimits limits;                      ///< limits of the view, including the visible overlays
    TrackSettings& tracks;
    const ColourGroups& groups;
    std::optional<std::size_t> emphasised_group = {};
    std::optional<std::int64_t> clock_start_us = {};  ///< time of the left edge, if the time axis shows the time of day
    bool has_minimap = false;
    std::shared_ptr<const Hits> hits = {};  ///< hits of the current search; null without a search
    std::string hit_words = {};             ///< description of the selected hit; empty if there is none
    const Emphasis* emphasis = nullptr;     ///< highlighted allocations; null if there is no highlight
    std::vector<NoteFlag> notes = {};
    std::span<const QueryTrack> query_tracks = {};
    std::function<float(ImVec2 pos)> draw_bar = {};  ///< draws a bar to the left of the legend and returns its width
    const Timeline* allocations = nullptr;           ///< the device's allocations; null if `timeline` shows them

    TracksScene tracks_scene() const { return {timeline, overlays, tracks, axis, limits, query_tracks}; }
    OverlayScene overlay_scene() const { return {timeline, overlays, items, axis}; }
};

struct PictureResult {
    Projection projection;   ///< position and view of the canvas
    bool was_drawn = false;  ///< the canvas had to be rendered again
};

/// Draws the picture with its axes and overlays into an area of the current window, without mouse or keyboard input.
PictureResult draw_timeline_picture(const TimelineScene& scene, const View& view, AllocationId highlighted,
                                    OverlayState& overlays, ImVec2 pos, ImVec2 size);

/// Draws the selected allocation and the marks of search hits over the picture.
void draw_selected_and_hits(const TimelineScene& scene, const Projection& projection, const Outline& selected,
                            HitMarks& marks);

/// Fills the rest of the current window with the timeline and handles the mouse: drag, wheel, hover, click; a box with the
/// right button, a ruler with Ctrl.
void draw_timeline_view(TimelineState& state, const TimelineScene& scene, DeviceState& device, Requests& requests);

}  // namespace snapviewer
