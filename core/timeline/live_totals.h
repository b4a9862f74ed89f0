#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// In place of a stack: that of an allocation known only by its free is the free's, and tells nothing of who made it.
inline constexpr StackId k_before_recording{0xFFFF'FFFE};

/// The stack that made an allocation, k_before_recording, or none() where none was recorded.
inline StackId making_stack(const AllocationColumns& allocations, AllocationId id) {
    return allocations.origin[id.value] == Origin::freed ? k_before_recording : allocations.stack[id.value];
}

/// What one stack keeps alive at a moment.
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
