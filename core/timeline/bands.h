#pragma once

#include <vector>

#include "core/timeline/axis_places.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

/// What torch.profiler recorded about the program's ranges: external_annotations of the device, placed by time, and
/// user_defined events, placed by number. ProfilerStep#N are a track of their own. Ranges outside of the picture are left
/// out; those that reach beyond it are open at that end. O(n log n).
std::vector<BandTrack> annotation_tracks(const AxisPlaces& places);

/// The ranges of a recorded track, in the same way.
BandTrack range_track(const Track& track, const AxisPlaces& places);

}  // namespace snapviewer
