#include "core/timeline/totals.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <unordered_map>

namespace snapviewer {

std::vector<StackTotal> live_totals_by_stack(const Timeline& timeline, std::uint32_t tick) {
    return totals_by_stack(timeline, timeline.live_after_tick(tick));
}

RangeTotals range_totals(const Timeline& timeline, std::uint32_t first_tick, std::uint32_t last_tick,
                         std::size_t most_stacks) {
    RangeTotals totals;
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::unordered_map<std::uint32_t, StackTotal> by_stack;
    for (std::uint32_t tick = first_tick + 1; tick <= last_tick; ++tick) {
        const AllocationId id = timeline.allocation_at_tick(tick);
        if (!id.is_some()) continue;
        const std::uint64_t size_bytes = allocations.size_bytes[id.value];
        LiveShare& share = timeline.is_free(tick) ? totals.freed : totals.made;
        share.bytes += size_bytes;
        ++share.count;
        if (timeline.is_free(tick)) continue;
        const StackId stack = making_stack(allocations, id);
        StackTotal& total = by_stack[stack.value];
        total.stack = stack;
        total.bytes += size_bytes;
        ++total.count;
    }
    totals.net_bytes = static_cast<std::int64_t>(totals.made.bytes) - static_cast<std::int64_t>(totals.freed.bytes);
    for (const auto& [id, total] : by_stack) totals.stacks.push_back(total);
    std::ranges::sort(totals.stacks, [](const StackTotal& a, const StackTotal& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.stack < b.stack;
    });
    if (totals.stacks.size() > most_stacks) totals.stacks.resize(most_stacks);
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

std::vector<std::uint64_t> highest_totals(const Timeline& timeline, Axis axis, std::size_t parts) {
    std::vector<std::uint64_t> highest(parts, 0);
    if (parts == 0) return highest;
    const std::uint32_t tick_count = timeline.tick_count();
    const auto place = [&](std::uint32_t tick) {
        return axis == Axis::steps ? static_cast<double>(timeline.step_of_tick(tick))
                                   : static_cast<double>(timeline.tick_times_us()[tick]);
    };
    const double end = place(tick_count - 1);
    const auto part_of = [&](std::uint32_t tick) {
        if (end <= 0) return std::size_t{0};
        return std::min(static_cast<std::size_t>(place(tick) / end * static_cast<double>(parts)), parts - 1);
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
