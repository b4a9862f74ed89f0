#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Determines for which moments the file shows how much memory a device had reserved from the driver. Sets
/// DeviceTrace::reserved_known. Reports in the import log why reserved memory is known only at the end, or that no event
/// reserves or returns memory.
///
/// Reserved memory is known only at the end in these cases:
/// - A block lies in no segment when it is allocated, or its segment is freed before it.
/// - Segment events contradict the segments that the file lists.
/// - Segment events were skipped: there is none, although a segment was made while stacks were recorded and no event was
///   lost.
/// - The file is cut off before the end of its events.
///
/// Precondition: `trace` is one of the snapshot's devices and its allocations are complete. O(events + segment events log
/// segments).
void find_reserved_known(Snapshot& snapshot, DeviceTrace& trace);

}  // namespace snapviewer
