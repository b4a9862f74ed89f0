#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// An allocation that was freed while another stream still used its memory, from the request to the completion.
struct PendingSpan {
    AllocationId id;
    std::uint32_t from_event = 0;
    std::uint32_t to_event = 0;  ///< the number of events if it was not completed
};

/// Every free whose completion does not follow its request at once, by request. O(events).
std::vector<PendingSpan> pending_frees(const Timeline& timeline);

}  // namespace snapviewer
