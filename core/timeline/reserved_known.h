#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Finds out for which moments the file tells what a device had reserved from the driver, sets DeviceTrace::reserved_known
/// and notes in the log why it is the end alone, or that no event reserves anything.
///
/// It is the end alone where a block lies in no segment when it is made, or its segment goes before it; where segment events
/// contradict the segments that the file lists; and where segment events were skipped: there is none, though a segment was
/// made while stacks were recorded, and nothing was lost. The trace is one of the snapshot's, its allocations are collected.
/// O(events + segment events log segments).
void find_reserved_known(Snapshot& snapshot, DeviceTrace& trace);

}  // namespace snapviewer
