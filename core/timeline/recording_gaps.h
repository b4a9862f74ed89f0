#pragma once

#include <cstdint>
#include <optional>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Reports in the import log what the recording of a device lacks: events that its ring buffer dropped, stacks, and reserved
/// memory (see find_reserved_known()). Also reports totals that exceed the device's capacity. Precondition: the device's
/// allocations are complete. O(events).
void report_recording(Snapshot& snapshot, DeviceTrace& trace);

/// The capacity of the recording's ring buffer in events (max_entries); nullopt if the file does not contain it.
std::optional<std::uint64_t> recorded_ring_capacity(const Snapshot& snapshot);

/// True if the file states that the ring buffer overflowed, for any device.
bool states_overflow(const Snapshot& snapshot);

/// True if a device's recording has as many events as the ring buffer holds, or if the file states that it overflowed.
bool is_ring_buffer_full(const Snapshot& snapshot, const DeviceTrace& trace);

/// True if report_recording() has reported that the ring buffer dropped the oldest events.
bool has_ring_overflowed(const Snapshot& snapshot);

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
