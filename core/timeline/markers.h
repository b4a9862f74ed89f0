#pragma once

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

/// The peak is that of the picture, the rest concerns the device. O(events + ooms * live allocations). `reserved` may be
/// null.
Landmarks find_landmarks(const Timeline& device, const AxisPlaces& places, const ReservedHistory* reserved);

}  // namespace snapviewer
