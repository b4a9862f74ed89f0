#pragma once

#include <memory>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Returns a trace of a device's segments instead of its allocations. It is memory_viz's "Active Cached Segment Timeline",
/// plus the mappings of expandable segments, which memory_viz leaves out. Without segment_map and segment_unmap events both
/// pictures are the same.
///
/// Each mapping is one allocation of the trace. If an unmapping removes a part of a mapping, that allocation ends and new
/// ones for the remaining parts begin at the same moment. Parts of an expandable segment that exist at the end, but that no
/// recorded event mapped, exist from the beginning. The events are copied, so that their indices are those of the device.
/// Throws stopped(). O(events + segments).
std::shared_ptr<const DeviceTrace> collect_segments(const Snapshot& snapshot, const DeviceTrace& device);

}  // namespace snapviewer
