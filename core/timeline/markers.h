#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/timeline/axis_places.h"
#include "core/timeline/holes.h"
#include "core/timeline/overlays.h"
#include "core/trace/reserved.h"

namespace snapviewer {

/// The moments of a timeline worth finding, and the capacity that they tell of.
struct Landmarks {
    std::vector<Marker> markers;  ///< the peak if anything is allocated, and each oom, snapshot and annotate event; by place
    std::vector<Level> levels;    ///< the device's capacity, if there was an oom and the reserved bytes are known
};

/// The peak is that of the picture, the rest concerns the device. O(events + ooms log events). `reserved` may be null.
Landmarks find_landmarks(const Timeline& device, const AxisPlaces& places, const ReservedHistory* reserved);

/// "out of memory: 2.0 GiB requested". `picture` is the timeline that the marker lies on.
std::string marker_label(const Timeline& picture, const Marker& marker);

/// Names and values for a tooltip. `device` is the timeline of the device's allocations, which may be the picture. O(events
/// + live allocations) for an out-of-memory event.
using MarkerFacts = std::vector<std::pair<std::string, std::string>>;
MarkerFacts marker_facts(const Timeline& device, const Timeline& picture, const Marker& marker);

/// The idle memory at an out-of-memory event; nullopt for other markers and if it is unknown. O(events + live allocations).
std::optional<Holes> holes_at(const Timeline& device, const Marker& marker);

}  // namespace snapviewer
