#include "core/timeline/live_totals.h"

#include <algorithm>

namespace snapviewer {

std::vector<StackTotal> live_totals_by_stack(const Timeline& timeline, std::uint32_t tick) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    const std::size_t stack_count = timeline.snapshot().stacks.stack_count();
    std::vector<StackTotal> totals;
    // 1 + place in totals; the last two are for those without a stack of their own.
    std::vector<std::uint32_t> place_of(stack_count + 2);
    for (const AllocationId id : timeline.live_after_tick(tick)) {
        const StackId stack = making_stack(allocations, id);
        const bool is_known = stack.is_some() && stack != k_before_recording;
        std::uint32_t& place = place_of[is_known ? stack.value : stack_count + (stack.is_some() ? 1 : 0)];
        if (place == 0) {
            totals.push_back({stack});
            place = static_cast<std::uint32_t>(totals.size());
        }
        StackTotal& total = totals[place - 1];
        total.bytes += allocations.size_bytes[id.value];
        ++total.count;
    }
    std::ranges::sort(totals, [](const StackTotal& a, const StackTotal& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.stack < b.stack;
    });
    return totals;
}

}  // namespace snapviewer
