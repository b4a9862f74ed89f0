#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline/emphasis.h"
#include "core/timeline/live_totals.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The changes after one tick up to another, which is no earlier.
struct TickRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool operator==(const TickRange&) const = default;
};

/// The allocations of two moments; each list in drawing order.
struct MomentChanges {
    std::vector<AllocationId> came;    ///< alive at the second moment alone
    std::vector<AllocationId> went;    ///< alive at the first alone
    std::vector<AllocationId> stayed;  ///< alive at both
};

/// What is alive after one tick against what is alive after another, whichever is earlier. O(live).
MomentChanges changes_between(const Timeline& timeline, std::uint32_t first_tick, std::uint32_t second_tick);

/// What is allocated in a range, also where it is freed in it; in the order of allocation. O(ticks of the range).
std::vector<AllocationId> made_in(const Timeline& timeline, const TickRange& range);

/// Of that what is still alive after a tick, which is no earlier than the range's end; in drawing order. O(live).
std::vector<AllocationId> made_in_and_alive(const Timeline& timeline, const TickRange& range, std::uint32_t tick);

/// What each stack has of some allocations: most bytes first, among equals the lower id. O(allocations + stacks).
std::vector<StackTotal> totals_by_stack(const Timeline& timeline, std::span<const AllocationId> allocations);

/// How many, and how many bytes.
LiveShare total_share(const Timeline& timeline, std::span<const AllocationId> allocations);

}  // namespace snapviewer
