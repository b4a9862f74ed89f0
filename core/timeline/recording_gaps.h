#pragma once

#include <cstdint>
#include <optional>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Notes in the log what the recording of a device lacks: events that its buffer had no room for, stacks, what was reserved
/// (find_reserved_known()), totals that cannot be. Its allocations must be collected. O(events).
void report_recording(Snapshot& snapshot, DeviceTrace& trace);

/// For how many events the recording had room (max_entries), as the file says; none where it says nothing.
std::optional<std::uint64_t> recording_room(const Snapshot& snapshot);

/// Whether the file itself says, for any device, that the ring buffer overflowed.
bool says_overflowed(const Snapshot& snapshot);

/// Whether it noted that the recording's buffer had no room for the oldest events.
bool ran_out_of_room(const Snapshot& snapshot);

}  // namespace snapviewer
