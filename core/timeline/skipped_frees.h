#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// PyTorch can leave out kinds of events (`skip_actions`). Of a recording that has requests to free and no completed free on
/// any device, every request becomes the free, except the last one of a block that the segments say still waits. The import
/// log is told, and DeviceTrace::requests_are_frees. Before allocations are worked out; O(events).
void take_requests_as_frees(Snapshot& snapshot);

}  // namespace snapviewer
