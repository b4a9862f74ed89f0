#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// What is reserved and lies idle.
struct Holes {
    std::uint64_t total_bytes = 0;
    std::uint64_t largest_bytes = 0;
    std::size_t count = 0;
    bool operator==(const Holes&) const = default;
};

/// The holes in a device's segments once so many events have happened, for each of `event_counts` (rising). A block that is
/// gone at the end counts as its request rounded up to 512 bytes, as the file does not tell more. Empty where the file lists
/// no segments of the device. O(segment events + moments * live allocations).
std::vector<Holes> holes_after_events(const Timeline& timeline, std::span<const std::uint32_t> event_counts);

}  // namespace snapviewer
