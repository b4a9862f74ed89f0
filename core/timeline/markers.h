#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/timeline/curve.h"
#include "core/timeline/idle_memory.h"
#include "core/timeline/overlays.h"
#include "core/trace/segments.h"

namespace snapviewer {

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
