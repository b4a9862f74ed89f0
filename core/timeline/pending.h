#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// An allocation that was freed while another stream still used its memory, from the request to the completion.
struct PendingSpan {
    AllocationId id;
    EventId request;             ///< none() if the free was requested before the first event
    std::uint32_t to_event = 0;  ///< the number of events if it was not completed

    /// How many events had happened once the free was requested.
    std::uint32_t events_before() const { return request.is_some() ? request.value + 1 : 0; }
};

/// Every free whose completion does not follow its request at once, by request. Requests from before the first event come
/// first: they are known from blocks that no event allocates and that still wait at the end. O(events + allocations).
std::vector<PendingSpan> pending_frees(const Timeline& timeline);

}  // namespace snapviewer
