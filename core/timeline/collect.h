#pragma once

#include <cstdint>

#include "core/base/progress.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Of the events of a trace: so many take well under a millisecond.
inline constexpr std::uint32_t k_events_between_looks = 4096;

/// Fills `trace.allocations` and `trace.actions` from the events and from the segments of that device, exactly as
/// memory_viz orders them: what stands before the first event at the bottom (last mentioned lowest), the rest in event
/// order. An allocation's pool is its event's, if that names one. An allocation that lives to the end takes the stack of its
/// block if its event has none. Notes in `snapshot.log` what the recording lost. O(events + blocks). `progress` may be null;
/// stopped, it leaves the trace as it was.
void collect_allocations(Snapshot& snapshot, DeviceTrace& trace, const Progress* progress = nullptr);

}  // namespace snapviewer
