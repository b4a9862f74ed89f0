#include "core/timeline/totals.h"

#include <iterator>
#include <ranges>

namespace snapviewer {

RangeTotals range_totals(const Timeline& timeline, std::uint32_t first_tick, std::uint32_t last_tick,
                         std::size_t max_stacks) {
    const std::vector<AllocationId> made = allocated_in(timeline, {first_tick, last_tick});
    RangeTotals totals;
    totals.made = total_share(timeline, made);
    totals.stacks = totals_by_stack(timeline, made);
    for (std::uint32_t tick = first_tick + 1; tick <= last_tick; ++tick) {
        if (!timeline.is_free(tick)) continue;
        totals.freed.bytes += timeline.trace().allocations.size_bytes[timeline.allocation_at_tick(tick).value];
        ++totals.freed.count;
    }
    totals.net_bytes = static_cast<std::int64_t>(totals.made.bytes) - static_cast<std::int64_t>(totals.freed.bytes);
    if (totals.stacks.size() > max_stacks) totals.stacks.resize(max_stacks);
    return totals;
}

MomentChanges changes_between(const Timeline& timeline, std::uint32_t first_tick, std::uint32_t second_tick) {
    const std::vector<AllocationId> first = timeline.live_after_tick(first_tick);
    const std::vector<AllocationId> second = timeline.live_after_tick(second_tick);
    MomentChanges changes;
    std::ranges::set_difference(second, first, std::back_inserter(changes.came));
    std::ranges::set_difference(first, second, std::back_inserter(changes.went));
    std::ranges::set_intersection(first, second, std::back_inserter(changes.stayed));
    return changes;
}

std::vector<AllocationId> allocated_in(const Timeline& timeline, const TickRange& range) {
    std::vector<AllocationId> made;
    for (std::uint32_t tick = range.first + 1; tick <= range.last; ++tick) {
        const AllocationId id = timeline.allocation_at_tick(tick);
        if (id.is_some() && !timeline.is_free(tick)) made.push_back(id);
    }
    return made;
}

std::vector<AllocationId> allocated_in_and_live(const Timeline& timeline, const TickRange& range, std::uint32_t tick) {
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

std::vector<std::uint64_t> highest_totals(const Timeline& timeline, Axis axis, std::size_t parts) {
    std::vector<std::uint64_t> highest(parts, 0);
    if (parts == 0) return highest;
    const std::uint32_t tick_count = timeline.tick_count();
    const double end = place_of_tick(timeline, axis, tick_count - 1);
    const auto part_of = [&](std::uint32_t tick) {
        if (end <= 0) return std::size_t{0};
        const double part = place_of_tick(timeline, axis, tick) / end * static_cast<double>(parts);
        return std::min(static_cast<std::size_t>(part), parts - 1);
    };
    std::uint32_t begin = 0;  // first tick of this part
    for (std::size_t part = 0; part < parts; ++part) {
        const auto rest = std::views::iota(begin, tick_count);
        const auto after = std::ranges::partition_point(rest, [&](std::uint32_t tick) { return part_of(tick) <= part; });
        const std::uint32_t next = begin + static_cast<std::uint32_t>(after - rest.begin());
        // A total holds until the next tick. The last total of the previous part therefore reaches into this one.
        for (std::uint32_t tick = begin == 0 ? 0 : begin - 1; tick < next; ++tick)
            highest[part] = std::max(highest[part], timeline.total_after_tick(tick));
        begin = next;
    }
    return highest;
}

}  // namespace snapviewer
