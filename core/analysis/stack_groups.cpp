#include "core/analysis/stack_groups.h"

#include <unordered_map>

#include "core/base/keyed_hash.h"

namespace snapviewer {
namespace {

constexpr std::uint32_t k_no_group = 0xFFFFFFFF;

}  // namespace

StackId allocating_stack(const DeviceTrace& trace, AllocationId id) {
    if (trace.allocations.origin[id.value] == Origin::freed) return StackId::none();
    return trace.allocations.stack[id.value];
}

StackGroups::StackGroups(const Timeline& timeline, const StackLines& lines) {
    const DeviceTrace& trace = timeline.trace();
    const auto count = static_cast<std::uint32_t>(timeline.allocation_count());
    std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> group_of_key;
    std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> group_of_size;
    std::vector<std::uint32_t> group_of_stack(timeline.snapshot().stacks.stack_count(), k_no_group);
    const auto group_in = [&](auto& known, std::uint64_t value, const Group& fresh) {
        const auto [found, is_new] = known.try_emplace(value, static_cast<std::uint32_t>(groups_.size()));
        if (is_new) groups_.push_back(fresh);
        return found->second;
    };
    std::vector<std::uint32_t> group_of(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const StackId stack = allocating_stack(trace, AllocationId{i});
        if (stack.is_some()) {
            std::uint32_t& group = group_of_stack[stack.value];
            if (group == k_no_group) group = group_in(group_of_key, lines.key(stack), {lines.key(stack), 0, 0, 0});
            group_of[i] = group;
        } else {
            const std::uint64_t size_bytes = trace.allocations.size_bytes[i];
            group_of[i] = group_in(group_of_size, size_bytes, {0, size_bytes, 0, 0});
        }
        ++groups_[group_of[i]].count;
    }
    std::uint32_t first = 0;
    for (Group& group : groups_) {
        group.first = first;
        first += group.count;
    }
    std::vector<std::uint32_t> filled(groups_.size());
    members_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        members_[groups_[group_of[i]].first + filled[group_of[i]]++] = AllocationId{i};
    }
}

}  // namespace snapviewer
