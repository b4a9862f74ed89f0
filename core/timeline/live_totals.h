#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

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

/// The live allocations after a tick, grouped by stack. Sorted by bytes in descending order, then by stack id. O(live +
/// stacks): at most some hundred microseconds for tens of thousands of live allocations.
std::vector<StackTotal> live_totals_by_stack(const Timeline& timeline, std::uint32_t tick);

}  // namespace snapviewer
