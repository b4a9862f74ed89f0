#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// An allocation that was freed while another stream still used its memory, from the request to the completion.
struct PendingSpan {
    AllocationId id;
    EventId request;             ///< event of the request; none() if it came before the first event
    std::uint32_t to_event = 0;  ///< event of the completion; the number of events if there is none

    /// The number of events up to and including the request.
    std::uint32_t events_before() const { return request.is_some() ? request.value + 1 : 0; }
};

/// Returns every free whose completion does not follow its request immediately, sorted by request. Requests from before the
/// first event come first. They are known only for blocks without an alloc event that still wait at the end. O(events +
/// allocations).
std::vector<PendingSpan> pending_frees(const Timeline& timeline);

}  // namespace snapviewer
