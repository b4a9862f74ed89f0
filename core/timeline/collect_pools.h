#pragma once

#include <memory>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Returns a trace in which a device's private pools are kept together. It is memory_viz's "Allocated Memory (incl. Private
/// Pools)", but for all allocations.
///
/// Each private pool (of a CUDA graph, or created by the program), per stream, is one envelope in the stack. Its size is the
/// maximum of the bytes reserved for it and active in it so far, so it never shrinks. Its live blocks are at its bottom.
/// Unused memory lies above them, as allocations of Origin::derived. An allocation belongs to the pool of the segment that
/// contains its address. Pools that no longer existed when the snapshot was taken cannot be shown.
///
/// Steps and offsets are those of memory_viz. Unused memory ends when a block takes it, and begins when a block gives it
/// back. If blocks of the pool slide down, the free memory appears after the slide. The trace contains its polygons
/// (DeviceTrace::recorded_paths), so the picture has no time axis. Throws if the polygons would have more than some 16
/// million points, and throws stopped(). O(actions * live).
std::shared_ptr<const DeviceTrace> collect_pools(const Snapshot& snapshot, const DeviceTrace& device);

}  // namespace snapviewer
