#pragma once

#include <functional>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Works out what a file does not give itself: the allocations of every device, whether its segments can be believed, and
/// what its recording lacks, which goes to the log. Polygons that a file gives go where they are those of its allocations
/// on one another, see are_stacked(). The last change to a snapshot; call it once, before the first Timeline.
/// O(events + blocks). Fails only if it is stopped; the snapshot is then good for nothing.
///
/// `collected` is called for each device as soon as its actions and the sizes of its allocations stay as they are, so that
/// what needs no more can begin on another thread.
Status complete_snapshot(Snapshot& snapshot, Progress& progress,
                         const std::function<void(const DeviceTrace&)>& collected = nullptr);

}  // namespace snapviewer
