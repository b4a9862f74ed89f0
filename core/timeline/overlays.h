#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/timeline/curve.h"
#include "core/timeline/holes.h"
#include "core/timeline/timeline.h"
#include "core/trace/tracks.h"

namespace snapviewer {

/// A horizontal line across the picture, such as the device's capacity.
struct Level {
    std::string id;  ///< what settings remember it by: "capacity"
    std::string name;
    std::string doc;
    double bytes = 0;
};

/// The state of memory at an oom event.
struct OomState {
    std::optional<std::uint64_t> device_free_bytes;  ///< as the driver reported it; nullopt if the file does not say
    bool is_recovered = false;                       ///< see recovered_ooms()
    std::optional<std::uint64_t> reserved_bytes;     ///< nothing where the file does not tell
};

/// A moment worth finding. marker_label() and marker_facts() describe it.
struct Marker {
    enum class Kind : std::uint8_t { peak, oom, snapshot, annotate, cut_off };
    Kind kind = Kind::peak;
    AxisPlace place;
    EventId event;  ///< none() if it is not an event
    /// Total at the peak, size of the failed request, or active memory at a snapshot event.
    std::optional<std::uint64_t> bytes;
    std::optional<OomState> oom;  ///< of oom
};

/// The last tick of a picture that had been made when a marker of it came.
std::uint32_t tick_of_marker(const Timeline& picture, const Marker& marker);

/// A named stretch of the picture. An end that the recording does not hold is the picture's edge.
struct Band {
    std::string name;
    AxisPlace from;
    AxisPlace to;
    std::uint32_t level = 0;  ///< 0 is the outermost; bands of one level do not overlap
    bool open_start = false;
    bool open_end = false;
};

/// A row of bands below the picture.
struct BandTrack {
    std::string name;
    std::vector<Band> bands;  ///< by start, outer ones first
    std::uint32_t level_count = 0;
    std::string note;  ///< bands that are missing, and why; empty if all are there
};

/// A row of curves below the picture, all of one unit.
struct CurveTrack {
    std::string name;
    std::vector<Curve> curves;
    std::string note;  ///< shown instead of curves where there are none
};

/// The part of an allocation's life in which it was freed, but its memory still waited for another stream.
struct PendingFree {
    AllocationId id;
    AxisPlace from;
    AxisPlace to;
};

/// Everything drawn over and under the allocations of one device, with places on both axes. Immutable.
struct Overlays {
    bool has_allocations = true;  ///< false: the curves are all there is to see
    std::vector<Curve> curves;    ///< bytes, on the scale of the picture: allocated, active, reserved, ...
    /// For each stacked curve, which come first: its sum with all stacked curves before it.
    std::vector<Curve> stack_tops;
    /// The curve above which reserved memory is unused. It is `active` if pending memory is part of the picture.
    CurveRole in_use = CurveRole::allocated;
    std::vector<Level> levels;
    std::vector<Marker> markers;  ///< by place; the true peak is one of them where anything is allocated
    std::vector<BandTrack> band_tracks;
    std::vector<CurveTrack> curve_tracks;
    std::vector<PendingFree> pending;  ///< by start
};

/// Computes all overlays from the events, annotations and tracks of a device. `picture` is their background: the device's
/// own timeline, or another picture of the same events (segments, pools), which has its own curves and outline and leaves
/// out pending frees, which are those of `device`. Computes curves only if the file has none (DeviceTrace::memory_series).
/// O(events + annotations + ooms * live allocations).
Overlays make_overlays(const Timeline& picture, const Timeline& device);
inline Overlays make_overlays(const Timeline& timeline) { return make_overlays(timeline, timeline); }

}  // namespace snapviewer
