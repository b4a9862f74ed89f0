#pragma once

#include <functional>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Works out what a file does not give itself: the allocations of every device, whether its segments can be believed, and
/// what its recording lacks, which goes to the log. Polygons that a file gives go where they are those of its allocations
/// on one another, see are_stacked(). The last change to a snapshot; call it once, before the first Timeline.
/// O(events + blocks). Throws stopped(); the snapshot is then incomplete and must be discarded.
///
/// `collected` is called for each device as soon as its actions and the sizes of its allocations stay as they are, so that
/// what needs no more can begin on another thread.
void complete_snapshot(Snapshot& snapshot, const std::function<void(const DeviceTrace&)>& collected = nullptr);

}  // namespace snapviewer
