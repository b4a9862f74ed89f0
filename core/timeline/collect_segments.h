#pragma once

#include <memory>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// A device's segments instead of its allocations, as a trace of their own: memory_viz's "Active Cached Segment Timeline",
/// with the mappings of expandable segments, which it leaves out. Without segment_map and segment_unmap the two are the
/// same.
///
/// Each mapping is an allocation of its own. An unmapping that takes a part of one ends it and begins what is left of it at
/// the same moment. What an expandable segment holds at the end beyond the recorded mappings was there from the beginning.
/// The events are copied, so that their numbers are those of the device. O(events + segments).
std::shared_ptr<const DeviceTrace> collect_segments(const Snapshot& snapshot, const DeviceTrace& device);

}  // namespace snapviewer
