#pragma once

#include <vector>

#include "core/timeline/axis_places.h"
#include "core/timeline/overlays.h"

namespace snapviewer {

/// The bands of ranges that torch.profiler recorded: the device's external_annotations, placed by time, and its user_defined
/// events, placed by event index. ProfilerStep#N ranges get a track of their own. Leaves out ranges outside the picture. A
/// range that extends beyond the picture has an open end there. O(n log n).
std::vector<BandTrack> annotation_tracks(const AxisPlaces& places);

/// The bands of a track that the file contains, placed by time like those of annotation_tracks().
BandTrack range_track(const Track& track, const AxisPlaces& places);

}  // namespace snapviewer
