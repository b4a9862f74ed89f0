#pragma once

#include <functional>
#include <memory>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Fills `trace.allocations` and `trace.actions` from the device's events and segments, in the drawing order of PyTorch's
/// memory_viz. Allocations from before the first event are at the bottom, and the one that the file mentions last is lowest.
/// The others follow in the order of their events.
///
/// An allocation gets the pool of its event, if the event has one. An allocation that lives to the end gets the stack of its
/// block if its event has no stack. Reports lost parts of the recording in `snapshot.log`. Throws stopped(). O(events +
/// blocks).
void collect_allocations(Snapshot& snapshot, DeviceTrace& trace);

/// Returns a trace of a device's segments instead of its allocations. It is memory_viz's "Active Cached Segment Timeline",
/// plus the mappings of expandable segments, which memory_viz leaves out. Without segment_map and segment_unmap events both
/// pictures are the same.
///
/// Each mapping is one allocation of the trace. If an unmapping removes a part of a mapping, that allocation ends and new
/// ones for the remaining parts begin at the same moment. Parts of an expandable segment that exist at the end, but that no
/// recorded event mapped, exist from the beginning. The events are copied, so that their indices are those of the device.
/// Throws stopped(). O(events + segments).
std::shared_ptr<const DeviceTrace> collect_segments(const Snapshot& snapshot, const DeviceTrace& device);

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

/// Computes everything that a file does not contain itself: the allocations of every device, whether its segments are
/// consistent with the events, and what its recording lacks, which is reported in the import log. Removes recorded polygons
/// that can be computed, see are_stacked(). This is the last change to a snapshot; call it once, before the first Timeline.
/// O(events + blocks). Throws stopped(); the snapshot is then incomplete and must be discarded.
///
/// Calls `collected` for each device as soon as its actions and the sizes of its allocations are final, so that work that
/// needs nothing else can begin on another thread.
void complete_snapshot(Snapshot& snapshot, const std::function<void(const DeviceTrace&)>& collected = nullptr);

}  // namespace snapviewer
