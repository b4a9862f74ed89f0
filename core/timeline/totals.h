#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline/emphasis.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Returns the step of the timeline's axis at which an event happens. A new allocation is drawn from this step on, a freed
/// one is drawn up to and including this step. Other events do not advance the axis. O(log ticks).
inline std::uint64_t step_of_event(const Timeline& timeline, std::uint32_t event) {
    const auto done = timeline.tick_events();
    const auto tick = static_cast<std::uint32_t>(std::ranges::lower_bound(done, event + 1) - done.begin());
    if (tick + 1 >= timeline.tick_count()) return timeline.trace().actions.empty() ? 0 : timeline.step_count();
    return timeline.step_of_tick(tick) - (timeline.is_free(tick) ? 1 : 0);
}

/// Converts a moment, that is, a number of events that have happened, to a step of the timeline's axis. The columns
/// alloc_step and free_step of allocations say which allocations are live at this step.
inline std::uint64_t step_of_moment(const Timeline& timeline, std::uint32_t moment) {
    if (moment == 0) return 0;
    const bool is_free = timeline.trace().events.action[moment - 1] == Action::free_completed;
    return step_of_event(timeline, moment - 1) + (is_free ? 1 : 0);
}

/// Returns the last tick of the timeline whose change has happened at a moment.
inline std::uint32_t tick_of_moment(const Timeline& timeline, std::uint32_t moment) {
    const auto done = timeline.tick_events();
    return static_cast<std::uint32_t>(std::ranges::upper_bound(done, moment) - done.begin()) - 1;
}

/// The stack id of an allocation from before the recording whose own stack is unknown.
inline constexpr StackId k_before_recording{0xFFFF'FFFE};

/// True for an allocation from before the recording whose own stack is unknown. If only the allocation's free was recorded,
/// its stack is the one that freed it and not the one that allocated it.
inline bool is_unknown_from_before(Origin origin, StackId stack) {
    return origin == Origin::freed || (origin == Origin::standing && !stack.is_some());
}

/// The stack that made an allocation, k_before_recording, or none() if none was recorded.
inline StackId making_stack(const AllocationColumns& allocations, AllocationId id) {
    const StackId stack = allocations.stack[id.value];
    return is_unknown_from_before(allocations.origin[id.value], stack) ? k_before_recording : stack;
}

/// The bytes and number of some allocations of one stack, for example those that are live at a moment.
struct StackTotal {
    StackId stack;  ///< stack that allocated the memory, see making_stack()
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    bool operator==(const StackTotal&) const = default;
};

/// The changes between two moments.
struct RangeTotals {
    std::int64_t net_bytes = 0;  ///< increase of the total; negative if it fell
    LiveShare made;              ///< allocations made, including those freed again by the end
    LiveShare freed;
    std::vector<StackTotal> stacks;  ///< stacks of the allocations made, in the order of totals_by_stack()
};

/// Sums up the changes of the ticks after `first_tick` up to `last_tick`. `max_stacks` is the maximum number of stacks in
/// the result. O(ticks between them + stacks).
RangeTotals range_totals(const Timeline& timeline, std::uint32_t first_tick, std::uint32_t last_tick,
                         std::size_t max_stacks);

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
std::vector<AllocationId> allocated_in(const Timeline& timeline, const TickRange& range);

/// The allocations that begin in a range and are live after `tick`, in drawing order. Precondition: `tick` is not before the
/// end of the range. O(live).
std::vector<AllocationId> allocated_in_and_live(const Timeline& timeline, const TickRange& range, std::uint32_t tick);

/// Groups allocations by stack. Sorted by bytes in descending order, then by stack id. O(allocations + stacks): at most some
/// hundred microseconds for tens of thousands of allocations.
std::vector<StackTotal> totals_by_stack(const Timeline& timeline, std::span<const AllocationId> allocations);

/// The number and the total size of some allocations. O(allocations).
LiveShare total_share(const Timeline& timeline, std::span<const AllocationId> allocations);

/// Divides a recording into `parts` parts of equal length along an axis, and returns the largest total within each, from
/// left to right. No spike is lost. O(ticks).
std::vector<std::uint64_t> highest_totals(const Timeline& timeline, Axis axis, std::size_t parts);

}  // namespace snapviewer
