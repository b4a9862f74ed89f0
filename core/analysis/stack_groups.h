#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// The allocations of a device by what their stacks have in common. What was allocated before the recording and is known
/// only by its free has no stack of its own; what has none is grouped by its size.
class StackGroups {
public:
    /// O(n) for n allocations, and O(n log n) for those without a stack.
    StackGroups(const Timeline& timeline, const StackLines& lines);

    struct Group {
        std::uint64_t key = 0;         ///< StackLines::key(); 0 without a stack
        std::uint64_t size_bytes = 0;  ///< of each allocation, only where key is 0
        std::uint32_t first = 0;       ///< into the members
        std::uint32_t count = 0;
    };
    const std::vector<Group>& groups() const { return groups_; }
    /// In drawing order.
    std::span<const AllocationId> members(const Group& group) const {
        return std::span(members_).subspan(group.first, group.count);
    }

private:
    std::vector<Group> groups_;
    std::vector<AllocationId> members_;
};

/// The stack that allocated: none() where only that of the free was recorded.
StackId allocating_stack(const DeviceTrace& trace, AllocationId id);

}  // namespace snapviewer
