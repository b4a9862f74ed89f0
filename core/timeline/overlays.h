#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/timeline/curve.h"
#include "core/timeline/timeline.h"
#include "core/trace/profile_data.h"
#include "core/trace/segments.h"

namespace snapviewer {

/// The holes in reserved memory, that is, parts that no block uses.
struct Holes {
    std::uint64_t total_bytes = 0;
    std::uint64_t largest_bytes = 0;
    std::size_t count = 0;
    bool operator==(const Holes&) const = default;
};

/// The holes in a device's segments after the first `n` events, for each `n` of `event_counts`, which must be ascending. A
/// block that no longer exists at the end counts as its requested size rounded up to 512 bytes, because the file does not
/// contain its real size. Empty if the file lists no segments of the device. O(segment events + moments * live allocations).
std::vector<Holes> holes_after_events(const Timeline& timeline, std::span<const std::uint32_t> event_counts);

/// An allocation that was freed while another stream still used its memory, from the request to the completion.
struct PendingSpan {
    AllocationId id;
    EventId request;             ///< event of the request; none() if it came before the first event
    std::uint32_t to_event = 0;  ///< event of the completion; the number of events if there is none

    /// The number of events up to and including the request.
    std::uint32_t events_before() const { return request.is_some() ? request.value + 1 : 0; }
};

/// Returns every free whose completion does not follow its request immediately, sorted by request. Requests from before the
/// first event come first. They are known only for blocks without an alloc event that still wait at the end. O(events +
/// allocations).
std::vector<PendingSpan> pending_frees(const Timeline& timeline);

/// A horizontal line across the picture, such as the device's capacity.
struct Level {
    std::string id;  ///< key in the settings: "capacity"
    std::string name;
    std::string doc;
    double bytes = 0;
};

/// The state of memory at an oom event.
struct OomState {
    std::optional<std::uint64_t> device_free_bytes;  ///< free memory as the driver reported it; nullopt if the file lacks it
    bool is_recovered = false;                       ///< true if the run continued afterwards, see recovered_ooms()
    std::optional<std::uint64_t> reserved_bytes;     ///< reserved memory at the event; nullopt if unknown
};

/// A moment that is worth finding, such as the peak. See marker_label() and marker_facts() for its texts.
struct Marker {
    enum class Kind : std::uint8_t { peak, oom, snapshot, annotate, cut_off };
    Kind kind = Kind::peak;
    AxisPlace place;
    EventId event;  ///< event of the marker; none() if there is none
    /// The total at the peak, the size of the failed request, or the active memory at a snapshot event.
    std::optional<std::uint64_t> bytes;
    std::optional<OomState> oom;  ///< state of memory; only for Kind::oom
};

/// The tick at which a marker is drawn: the last tick that is not after the marker's event. A marker of the peak is drawn at
/// the tick of the peak.
std::uint32_t tick_of_marker(const Timeline& picture, const Marker& marker);

/// A named range on the x axis. If the recording does not contain one of its ends, that end is the picture's edge.
struct Band {
    std::string name;
    AxisPlace from;
    AxisPlace to;
    std::uint32_t level = 0;  ///< nesting depth; 0 is the outermost, and bands of one level do not overlap
    bool open_start = false;
    bool open_end = false;
};

/// A row of bands below the picture.
struct BandTrack {
    std::string name;
    std::vector<Band> bands;  ///< bands sorted by start, outer ones first
    std::uint32_t level_count = 0;
    std::string note;  ///< reason that bands are missing; empty if all are shown
};

/// A row of curves below the picture. All have the same unit.
struct CurveTrack {
    std::string name;
    std::vector<Curve> curves;
    std::string note;  ///< text shown instead of curves if there are none
};

/// The time between the request to free an allocation and its completion, during which another stream may still use its
/// memory.
struct PendingFree {
    AllocationId id;
    AxisPlace from;
    AxisPlace to;
};

/// Everything drawn above and below the allocations of one device, with positions on both axes. Immutable.
struct Overlays {
    bool has_allocations = true;  ///< false if the device has curves only
    std::vector<Curve> curves;    ///< curves in bytes, on the scale of the picture: allocated, active, reserved, ...
    /// The sum of each stacked curve with all stacked curves before it. Stacked curves are the first ones of `curves`.
    std::vector<Curve> stack_tops;
    /// The curve above which reserved memory is unused. It is `active` if pending memory is part of the picture.
    CurveRole in_use = CurveRole::allocated;
    std::vector<Level> levels;
    std::vector<Marker> markers;  ///< markers sorted by position; contains the true peak if anything is allocated
    std::vector<BandTrack> band_tracks;
    std::vector<CurveTrack> curve_tracks;
    std::vector<PendingFree> pending;  ///< pending frees, sorted by start
};

/// Computes all overlays from the events, annotations and tracks of a device. `picture` is the timeline below them: the
/// device's own one, or another picture of the same events (segments, pools). Such a picture has its own curves and outline,
/// and shows no pending frees, because these belong to the allocations of `device`. Computes memory curves only if the file
/// has none (DeviceTrace::memory_series). Throws stopped(). O(events + annotations + ooms * live allocations).
Overlays make_overlays(const Timeline& picture, const Timeline& device);
inline Overlays make_overlays(const Timeline& timeline) { return make_overlays(timeline, timeline); }

/// The moments of a timeline that are worth finding, and the device capacity that can be derived from them.
struct Landmarks {
    std::vector<Marker> markers;  ///< markers sorted by position: the peak if anything is allocated, each oom, snapshot and
                                  ///< annotate event, and the end of a cut-off recording
    std::vector<Level> levels;    ///< the device's capacity, if it had an oom event and its reserved bytes are known
};

/// Finds the peak of the picture, and all other moments among the events of `device`. `reserved` may be null if the reserved
/// bytes are unknown. O(events + ooms log events).
Landmarks find_landmarks(const Timeline& device, const AxisPlaces& places, const ReservedHistory* reserved);

/// The label of a marker, such as "out of memory: 2.0 GiB requested". `picture` is the timeline that the marker lies on.
std::string marker_label(const Timeline& picture, const Marker& marker);

/// Returns names and values for a tooltip. `device` is the timeline of the device's allocations, and may be the same object
/// as `picture`. O(events + live allocations) for an oom event.
using MarkerFacts = std::vector<std::pair<std::string, std::string>>;
MarkerFacts marker_facts(const Timeline& device, const Timeline& picture, const Marker& marker);

/// The unused reserved memory at an oom event; nullopt for other markers and if it is unknown. O(events + live allocations).
std::optional<Holes> holes_at(const Timeline& device, const Marker& marker);

}  // namespace snapviewer
