#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Works out what a file does not give itself: the allocations of every device, whether its segments can be believed, and
/// what its recording lacks, which goes to the log. The last change to a snapshot; call it once, before the first Timeline.
/// O(events + blocks).
void complete_snapshot(Snapshot& snapshot);

}  // namespace snapviewer
