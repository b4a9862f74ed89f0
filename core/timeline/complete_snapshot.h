#pragma once

#include <functional>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Computes everything that a file does not contain itself: the allocations of every device, whether its segments are
/// consistent with the events, and what its recording lacks, which is reported in the import log. Removes recorded polygons
/// that can be computed, see are_stacked(). This is the last change to a snapshot; call it once, before the first Timeline.
/// O(events + blocks). Throws stopped(); the snapshot is then incomplete and must be discarded.
///
/// Calls `collected` for each device as soon as its actions and the sizes of its allocations are final, so that work that
/// needs nothing else can begin on another thread.
void complete_snapshot(Snapshot& snapshot, const std::function<void(const DeviceTrace&)>& collected = nullptr);

}  // namespace snapviewer
