#include "core/timeline/moment_changes.h"

#include <algorithm>
#include <iterator>

namespace snapviewer {

MomentChanges changes_between(const Timeline& timeline, std::uint32_t first_tick, std::uint32_t second_tick) {
    const std::vector<AllocationId> first = timeline.live_after_tick(first_tick);
    const std::vector<AllocationId> second = timeline.live_after_tick(second_tick);
    MomentChanges changes;
    std::ranges::set_difference(second, first, std::back_inserter(changes.came));
    std::ranges::set_difference(first, second, std::back_inserter(changes.went));
    std::ranges::set_intersection(first, second, std::back_inserter(changes.stayed));
    return changes;
}

std::vector<AllocationId> made_in(const Timeline& timeline, const TickRange& range) {
    std::vector<AllocationId> made;
    for (std::uint32_t tick = range.first + 1; tick <= range.last; ++tick) {
        const AllocationId id = timeline.allocation_at_tick(tick);
        if (id.is_some() && !timeline.is_free(tick)) made.push_back(id);
    }
    return made;
}

std::vector<AllocationId> made_in_and_alive(const Timeline& timeline, const TickRange& range, std::uint32_t tick) {
    std::vector<AllocationId> alive = timeline.live_after_tick(tick);
    std::erase_if(alive, [&](AllocationId id) {
        const std::uint32_t made = timeline.first_tick(id);
        return made <= range.first || made > range.last;
    });
    return alive;
}

std::vector<StackTotal> totals_by_stack(const Timeline& timeline, std::span<const AllocationId> allocations) {
    const AllocationColumns& columns = timeline.trace().allocations;
    const std::size_t stack_count = timeline.snapshot().stacks.stack_count();
    std::vector<StackTotal> totals;
    // 1 + the index in `totals`, or 0 if the stack has none yet. The last two entries are for none() and k_before_recording.
    std::vector<std::uint32_t> place_of(stack_count + 2);
    for (const AllocationId id : allocations) {
        const StackId stack = making_stack(columns, id);
        const bool is_known = stack.is_some() && stack != k_before_recording;
        std::uint32_t& place = place_of[is_known ? stack.value : stack_count + (stack.is_some() ? 1 : 0)];
        if (place == 0) {
            totals.push_back({stack});
            place = static_cast<std::uint32_t>(totals.size());
        }
        StackTotal& total = totals[place - 1];
        total.bytes += columns.size_bytes[id.value];
        ++total.count;
    }
    std::ranges::sort(totals, [](const StackTotal& a, const StackTotal& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.stack < b.stack;
    });
    return totals;
}

LiveShare total_share(const Timeline& timeline, std::span<const AllocationId> allocations) {
    LiveShare sum;
    for (const AllocationId id : allocations) sum.bytes += timeline.trace().allocations.size_bytes[id.value];
    sum.count = allocations.size();
    return sum;
}

}  // namespace snapviewer
