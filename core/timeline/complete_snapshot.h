#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Works out what a file does not give itself: the allocations of every device, whether its segments can be believed, and
/// what its recording lacks, which goes to the log. The last change to a snapshot; call it once, before the first Timeline.
/// O(events + blocks). Fails only if it is stopped; the snapshot is then good for nothing.
Status complete_snapshot(Snapshot& snapshot, Progress& progress);

}  // namespace snapviewer
