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

}  // namespace snapviewer
