#pragma once

#include <cstdint>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Number of events between two checks for a stop request. Processing them takes well below a millisecond.
inline constexpr std::uint32_t k_events_between_looks = 4096;

/// Fills `trace.allocations` and `trace.actions` from the device's events and segments, in the drawing order of PyTorch's
/// memory_viz. Allocations from before the first event are at the bottom, and the one that the file mentions last is lowest.
/// The others follow in the order of their events.
///
/// An allocation gets the pool of its event, if the event has one. An allocation that lives to the end gets the stack of its
/// block if its event has no stack. Reports lost parts of the recording in `snapshot.log`. Throws stopped(). O(events +
/// blocks).
void collect_allocations(Snapshot& snapshot, DeviceTrace& trace);

}  // namespace snapviewer
