#include "core/timeline/range_totals.h"

#include <algorithm>
#include <unordered_map>

namespace snapviewer {

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

}  // namespace snapviewer
