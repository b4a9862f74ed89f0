#pragma once

#include <cstdint>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Number of events between two checks for a stop request; takes well below a millisecond.
inline constexpr std::uint32_t k_events_between_looks = 4096;

/// Fills `trace.allocations` and `trace.actions` from the device's events and segments, in the order of memory_viz:
/// allocations from before the first event at the bottom (the last mentioned lowest), the rest in the order of events. An
/// allocation gets the pool of its event, if that has one. An allocation that lives to the end gets the stack of its block
/// if its event has none. Reports lost parts of the recording in `snapshot.log`. O(events + blocks).
void collect_allocations(Snapshot& snapshot, DeviceTrace& trace);

}  // namespace snapviewer
