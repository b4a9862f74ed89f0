#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/timeline/curve_samples.h"
#include "app/features/timeline/naming_task.h"
#include "app/features/timeline/pending_pieces.h"
#include "app/features/timeline/projection.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/screen_point.h"
#include "core/timeline/hits.h"
#include "core/timeline/markers.h"
#include "core/timeline/overlays.h"
#include "core/timeline/range_totals.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// What one picture of one device looks like at the moment; every one keeps its own.
struct DeviceState {
    Axis axis = Axis::steps;
    View view;  ///< in units of `axis`
    AllocationId selected;
};

/// A text as it is on the screen.
struct WrittenName {
    AllocationId id;
    std::string text;
    ScreenPoint min, max;
};

/// Where the marks of small hits are, between two frames; worked out anew when the view or the search changes.
struct HitMarks {
    std::shared_ptr<const Hits> hits;
    Axis axis = Axis::steps;
    Projection projection;
    std::vector<std::uint32_t> columns;  ///< window pixels from the picture's left edge
};

/// A note in the picture on the screen.
struct NoteFlag {
    std::string id;
    double x = 0;  ///< steps or microseconds
    double bytes = 0;
    std::string text;
};

/// The strip that shows the whole recording, between two frames.
struct MinimapState {
    enum class Grip : std::uint8_t { none, window, left, right };
    const Timeline* timeline = nullptr;  ///< that `totals` are of
    Axis axis = Axis::steps;
    std::vector<std::uint64_t> totals;  ///< the largest in equal parts of it
    Grip grip = Grip::none;             ///< what of the window the mouse holds
    double held_at = 0;                 ///< from the window's left edge, steps or microseconds

    bool is_dragging() const { return grip != Grip::none; }
    /// Before the timeline goes.
    void forget() { *this = MinimapState{}; }
};

/// What lies over the allocations, between two frames.
struct OverlayState {
    CurveSamples samples;
    PendingCache pending;
    std::optional<std::size_t> hovered_marker;
    const Marker* marker_of_facts = nullptr;
    MarkerFacts hovered_facts;                  ///< cached, because counting idle memory takes milliseconds
    std::optional<std::size_t> current_marker;  ///< the one jumped to last

    /// After the device or the file changed.
    void forget() { *this = OverlayState{}; }
};

/// A stretch of the picture that was measured with Ctrl and the mouse, between two frames.
struct RulerState {
    bool is_shown = false;
    bool is_measuring = false;                    ///< the mouse button is still down
    double x_from = 0, x_to = 0;                  ///< steps or microseconds, where the drag began and where it went
    double y_from = 0, y_to = 0;                  ///< bytes
    std::uint32_t first_tick = 0, last_tick = 0;  ///< that `totals` speak of
    bool has_totals = false;
    RangeTotals totals;
};

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

/// The timeline panel between two frames.
struct TimelineState {
    Projection projection;    ///< where the canvas was drawn last
    bool has_cursor = false;  ///< the mouse is over the canvas
    double cursor_x = 0;      ///< steps or microseconds
    double cursor_bytes = 0;
    std::uint32_t cursor_tick = 0;  ///< what the column of pixels under the mouse shows
    AllocationId hovered;
    double hovered_low_bytes = 0;  ///< how high its lower edge lies under the mouse
    bool is_dragging = false;
    View pressed_view;                    ///< the view when the mouse button went down
    std::optional<ScreenPoint> box_from;  ///< where the right button went down, while a box is being drawn
    RulerState ruler;
    Outline selected_outline;
    Outline hovered_outline;
    HitMarks hit_marks;
    std::optional<std::size_t> hovered_note;
    NamedBlocks names;                 ///< what may be written into the blocks in view
    std::vector<WrittenName> written;  ///< what is
    MinimapState minimap;
    OverlayState overlays;
    TracksState tracks;
    std::uint64_t drawn_pictures = 0;  ///< how often the canvas was not up to date

    /// After the device, the axis or the file changed.
    void forget_outlines() {
        selected_outline = hovered_outline = Outline{};
        ruler = RulerState{};
        names = NamedBlocks{};
        box_from.reset();
    }
    void forget_overlays() {
        overlays.forget();
        minimap.forget();
        tracks.forget();
    }
};

}  // namespace snapviewer
