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
std::optional<std::uint64_t> recording_room(const Snapshot& snapshot);

/// True if the file states that the ring buffer overflowed, for any device.
bool says_overflowed(const Snapshot& snapshot);

/// True if report_recording() has reported that the ring buffer dropped the oldest events.
bool ran_out_of_room(const Snapshot& snapshot);

}  // namespace snapviewer
