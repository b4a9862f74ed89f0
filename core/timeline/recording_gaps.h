#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Notes in the log what the recording of a device lacks: events that its buffer had no room for, stacks, totals that cannot
/// be. Its allocations must be collected. O(events).
void report_recording(Snapshot& snapshot, const DeviceTrace& trace);

}  // namespace snapviewer
