#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// Replaces the stack of an allocation from before the recording that has none of its own.
inline constexpr StackId k_before_recording{0xFFFF'FFFE};

/// True for an allocation from before the recording whose own stack is unknown. If only its free was recorded, its stack is
/// that of the free, which does not say what made it.
inline bool is_unknown_from_before(Origin origin, StackId stack) {
    return origin == Origin::freed || (origin == Origin::standing && !stack.is_some());
}

/// The stack that made an allocation, k_before_recording, or none() if none was recorded.
inline StackId making_stack(const AllocationColumns& allocations, AllocationId id) {
    const StackId stack = allocations.stack[id.value];
    return is_unknown_from_before(allocations.origin[id.value], stack) ? k_before_recording : stack;
}

/// The live bytes of one stack at a moment.
struct StackTotal {
    StackId stack;  ///< as making_stack() gives it
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
    bool operator==(const StackTotal&) const = default;
};

/// The live allocations once a tick's change is made, by stack: most bytes first, among equals the lower id. O(live +
/// stacks), at most some hundred microseconds for tens of thousands of live allocations.
std::vector<StackTotal> live_totals_by_stack(const Timeline& timeline, std::uint32_t tick);

}  // namespace snapviewer
