#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline/emphasis.h"
#include "core/timeline/live_totals.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The range of ticks (first, last]: the changes after tick `first` up to and including tick `last`. first <= last.
struct TickRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool operator==(const TickRange&) const = default;
};

/// A comparison of the live allocations of two moments. Each list is in drawing order.
struct MomentChanges {
    std::vector<AllocationId> came;    ///< allocations live at the second moment only
    std::vector<AllocationId> went;    ///< allocations live at the first moment only
    std::vector<AllocationId> stayed;  ///< allocations live at both moments
};

/// Compares the live allocations after two ticks. Either tick may be the earlier one. O(live).
MomentChanges changes_between(const Timeline& timeline, std::uint32_t first_tick, std::uint32_t second_tick);

/// The allocations that begin in a range, including those that are freed in it, in the order of allocation. O(ticks of the
/// range).
std::vector<AllocationId> made_in(const Timeline& timeline, const TickRange& range);

/// The allocations that begin in a range and are live after `tick`, in drawing order. Precondition: `tick` is not before the
/// end of the range. O(live).
std::vector<AllocationId> made_in_and_alive(const Timeline& timeline, const TickRange& range, std::uint32_t tick);

/// Groups allocations by stack. Sorted by bytes in descending order, then by stack id. O(allocations + stacks).
std::vector<StackTotal> totals_by_stack(const Timeline& timeline, std::span<const AllocationId> allocations);

/// The number and the total size of some allocations. O(allocations).
LiveShare total_share(const Timeline& timeline, std::span<const AllocationId> allocations);

}  // namespace snapviewer
