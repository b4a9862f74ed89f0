#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// The holes in reserved memory, that is, parts that no block uses.
struct Holes {
    std::uint64_t total_bytes = 0;
    std::uint64_t largest_bytes = 0;
    std::size_t count = 0;
    bool operator==(const Holes&) const = default;
};

/// The holes in a device's segments after the first `n` events, for each `n` of `event_counts`, which must be ascending. A
/// block that no longer exists at the end counts as its requested size rounded up to 512 bytes, because the file does not
/// contain its real size. Empty if the file lists no segments of the device. O(segment events + moments * live allocations).
std::vector<Holes> holes_after_events(const Timeline& timeline, std::span<const std::uint32_t> event_counts);

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
