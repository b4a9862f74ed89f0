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
    const std::vector<OverlayItem>& items;  ///< of these overlays
    ViewLimits limits;                      ///< of the picture with the overlays that are shown
    TrackSettings& tracks;
    const ColourGroups& groups;
    std::optional<std::size_t> emphasised_group = {};
    std::optional<std::int64_t> clock_start_us = {};  ///< of the left edge, if the time axis says the time of day
    bool has_minimap = false;
    std::shared_ptr<const Hits> hits = {};  ///< of a search; null without one
    std::string hit_words = {};             ///< description of the selected hit; empty if there is none
    const Emphasis* emphasis = nullptr;     ///< what stands out, if anything does
    std::vector<NoteFlag> notes = {};
    std::span<const QueryTrack> query_tracks = {};
    std::function<float(ImVec2 pos)> draw_bar = {};  ///< what stands left of the legend; gives its width
    const Timeline* allocations = nullptr;           ///< the device's allocations; null if `timeline` shows them

    TracksScene tracks_scene() const { return {timeline, overlays, tracks, axis, limits, query_tracks}; }
    OverlayScene overlay_scene() const { return {timeline, overlays, items, axis}; }
};

struct PictureResult {
    Projection projection;   ///< where the canvas is
    bool was_drawn = false;  ///< the canvas was not up to date
};

/// Draws the picture with its axes and overlays into an area of the current window and nothing else: no mouse, no keys.
PictureResult draw_timeline_picture(const TimelineScene& scene, const View& view, AllocationId highlighted,
                                    OverlayState& overlays, ImVec2 pos, ImVec2 size);

/// Over the picture: what is selected, and where the hits of a search are.
void draw_selected_and_hits(const TimelineScene& scene, const Projection& projection, const Outline& selected,
                            HitMarks& marks);

/// Fills the rest of the current window with the timeline and follows the mouse: drag, wheel, hover, click; a box
/// with the right button, a ruler with Ctrl.
void draw_timeline_view(TimelineState& state, const TimelineScene& scene, DeviceState& device, Requests& requests);

}  // namespace snapviewer
