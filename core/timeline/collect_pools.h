#pragma once

#include <memory>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// A device's allocations with its private pools kept together, as a trace of its own: memory_viz's "Allocated Memory (incl.
/// Private Pools)", for all allocations.
///
/// Each pool (of a CUDA graph, or of the program's own, by stream) is one envelope in the stack. It holds as much as was
/// ever reserved for it or active in it, and never shrinks. Its live blocks stand at its bottom; what it does not use lies
/// above them as allocations of Origin::derived. An allocation belongs to the pool of the segment at its address; pools that
/// were gone when the snapshot was taken are not seen.
///
/// Steps and places are memory_viz's. Unused memory comes and goes with the blocks it makes room for; where blocks of a pool
/// slide down, what they leave free appears once they have. The polygons are given (DeviceTrace::recorded_paths), so the
/// picture has no time axis. Throws if they would take more than some 16 million points, and stopped(). O(actions * live).
std::shared_ptr<const DeviceTrace> collect_pools(const Snapshot& snapshot, const DeviceTrace& device);

}  // namespace snapviewer
