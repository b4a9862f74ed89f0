#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/timeline/stack_names.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/state_parts.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/overlays.h"
#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"

namespace snapviewer {

/// View state of one picture of one device; each picture keeps its own.
struct DeviceState {
    Axis axis = Axis::steps;
    View view;  ///< visible part, in units of `axis`
    AllocationId selected;
};

/// Cached positions of the marks for small search hits. Recomputed when the view or the search changes.
struct HitMarks {
    std::shared_ptr<const Hits> hits;
    Axis axis = Axis::steps;
    Projection projection;
    std::vector<std::uint32_t> columns;  ///< x coordinates in window pixels from the picture's left edge
};

/// A note in the current picture.
struct NoteFlag {
    std::string id;
    double x = 0;  ///< position in steps or microseconds
    double bytes = 0;
    std::string text;
};

/// State of the strip that shows the whole recording.
struct MinimapState {
    enum class Grip : std::uint8_t { none, window, left, right };
    const Timeline* timeline = nullptr;  ///< timeline that `totals` were computed from
    Axis axis = Axis::steps;
    std::vector<std::uint64_t> totals;  ///< maximum total in each of many equal parts of the recording
    Grip grip = Grip::none;             ///< part of the window that the mouse is dragging
    double held_at = 0;                 ///< grabbed position, relative to the window's left edge, in steps or microseconds

    bool is_dragging() const { return grip != Grip::none; }
};

/// State of the overlays over the allocations.
struct OverlayState {
    CurveSamples samples;
    PendingCache pending;
    std::optional<std::size_t> hovered_marker;
    const Marker* marker_of_facts = nullptr;
    /// facts of the hovered marker, cached because counting idle memory takes milliseconds
    MarkerFacts hovered_facts;
    std::optional<std::size_t> current_marker;  ///< marker that the user jumped to last
};

/// State of the ruler, which measures a range of the picture that the user drags with Ctrl.
struct RulerState {
    bool is_shown = false;
    bool is_measuring = false;                    ///< the user is still dragging the ruler
    double x_from = 0, x_to = 0;                  ///< start and end of the drag, in steps or microseconds
    double y_from = 0, y_to = 0;                  ///< start and end of the drag, in bytes
    std::uint32_t first_tick = 0, last_tick = 0;  ///< range of ticks that `totals` were computed for
    bool has_totals = false;
    RangeTotals totals;
};

/// Index of a band within Overlays::band_tracks.
struct BandPlace {
    std::size_t track = 0;
    std::size_t band = 0;
    bool operator==(const BandPlace&) const = default;
};

/// A track that the user made from a query result.
struct QueryTrack {
    std::shared_ptr<const Timeline> timeline;  ///< the picture below which the track is drawn
    CurveTrack track;
    std::string sql;  ///< the query whose result became the track
};

/// State of the tracks below the picture.
struct TracksState {
    std::optional<BandPlace> hovered, selected;
    std::optional<double> cursor_x;  ///< position of the mouse on the axis, while it is over a lane
    View pressed_view;               ///< view when the mouse button was pressed on a lane
    bool is_dragging = false;
    std::optional<std::size_t> to_remove;  ///< index of the query track whose close button was clicked

    /// Indices of the bands in each nesting level of each track, ordered so that visible bands are found by binary search.
    using Levels = std::vector<std::vector<std::uint32_t>>;
    std::vector<Levels> levels;
};

/// State of the timeline panel.
struct TimelineState {
    Projection projection;    ///< view and area of the canvas in the last frame
    bool has_cursor = false;  ///< the mouse is over the canvas
    double cursor_x = 0;      ///< position of the mouse in steps or microseconds
    double cursor_bytes = 0;
    std::uint32_t cursor_tick = 0;  ///< tick that the pixel column under the mouse shows
    AllocationId hovered;
    double hovered_low_bytes = 0;  ///< lower edge of the hovered allocation under the mouse, in bytes
    bool is_dragging = false;
    View pressed_view;                    ///< the view when the mouse button was pressed
    std::optional<ScreenPoint> box_from;  ///< start of a zoom box, while the user draws one with the right button
    RulerState ruler;
    Outline selected_outline;
    Outline hovered_outline;
    HitMarks hit_marks;
    std::vector<NoteFlag> notes;  ///< notes in the picture on the screen
    std::optional<std::size_t> hovered_note;
    NamedBlocks names;  ///< names computed for the blocks in view
    MinimapState minimap;
    OverlayState overlays;
    TracksState tracks;
    std::vector<QueryTrack> query_tracks;  ///< tracks made from query results, of all pictures of the open file

    /// Drops the outlines, the ruler and the names. Call after the device, the axis or the file has changed.
    void forget_outlines() {
        selected_outline = hovered_outline = Outline{};
        ruler = RulerState{};
        names = NamedBlocks{};
        box_from.reset();
    }
    /// Drops the state of overlays, tracks and minimap. Call after the device or the file has changed, and before its
    /// timeline is destroyed.
    void forget_overlays() {
        overlays = OverlayState{};
        minimap = MinimapState{};
        tracks = TracksState{};
    }
};

}  // namespace snapviewer
