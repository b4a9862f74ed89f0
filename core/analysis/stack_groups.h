#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// The allocations of a device, grouped by the key of their stacks. Allocations without a stack are grouped by size. An
/// allocation from before the recording that is known only by its free has no stack of its own.
class StackGroups {
public:
    /// Groups all allocations. O(n) for n allocations, and O(n log n) for those without a stack.
    StackGroups(const Timeline& timeline, const StackLines& lines);

    struct Group {
        std::uint64_t key = 0;         ///< Result of StackLines::key(), or 0 without a stack
        std::uint64_t size_bytes = 0;  ///< Size of each allocation if `key` is 0, otherwise 0
        std::uint32_t first = 0;       ///< Index of the first member in members_
        std::uint32_t count = 0;
    };
    const std::vector<Group>& groups() const { return groups_; }
    /// The allocations of a group, in drawing order.
    std::span<const AllocationId> members(const Group& group) const {
        return std::span(members_).subspan(group.first, group.count);
    }

private:
    std::vector<Group> groups_;
    std::vector<AllocationId> members_;
};

/// The stack of the alloc. StackId::none() if only the free was recorded.
StackId allocating_stack(const DeviceTrace& trace, AllocationId id);

}  // namespace snapviewer
