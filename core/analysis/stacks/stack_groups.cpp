#include "core/analysis/stacks/stack_groups.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/trace/annotations.h"

namespace snapviewer::stacks {
StackId allocating_stack(const DeviceTrace& trace, AllocationId id) {
    if (trace.allocations.origin[id.value] == Origin::freed) return StackId::none();
    return trace.allocations.stack[id.value];
}

std::vector<SourceBytes> largest_sources(const Timeline& timeline, const StackLines& lines, std::uint32_t tick,
                                         std::size_t count) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    const InternalAllocations own(timeline.snapshot());
    std::unordered_map<std::uint32_t, SourceBytes> by_stack;
    for (const AllocationId id : timeline.live_after_tick(tick)) {
        const Origin origin = allocations.origin[id.value];
        const StackId stack = allocations.stack[id.value];
        if (origin == Origin::freed || (origin == Origin::standing && !stack.is_some())) continue;
        if (own.contains(timeline.trace(), id)) continue;
        SourceBytes& held = by_stack[stack.value];
        held.bytes += allocations.size_bytes[id.value];
        ++held.count;
    }
    std::map<std::string, SourceBytes> by_source;
    for (const auto& [stack, held] : by_stack) {
        const std::string& source = lines.source(StackId{stack});
        SourceBytes& sum = by_source[source];
        sum.source = source;
        sum.bytes += held.bytes;
        sum.count += held.count;
    }
    std::vector<SourceBytes> rows;
    for (auto& [source, sum] : by_source) rows.push_back(std::move(sum));
    std::ranges::stable_sort(rows, std::ranges::greater(), &SourceBytes::bytes);
    if (rows.size() > count) rows.resize(count);
    return rows;
}

namespace {

/// Maximum number of allocations that may be made between the allocation and the free of a short-lived one.
constexpr std::size_t k_max_allocations_between = 1;

void finish_rows(Churn& churn, const StackLines& lines) {
    const std::size_t steps = std::max<std::size_t>(1, churn.steps);
    for (Churn::Row& row : churn.by_stack) {
        row.source = lines.source(row.stack);
        row.bytes_per_step = row.bytes / steps;
        row.count_per_step = rounded(static_cast<double>(row.count) / static_cast<double>(steps), 2);
        churn.bytes += row.bytes;
        churn.count += row.count;
    }
    std::ranges::sort(churn.by_stack, [](const Churn::Row& a, const Churn::Row& b) {
        return std::tie(b.bytes, a.stack_key) < std::tie(a.bytes, b.stack_key);
    });
}

}  // namespace

Churn find_churn(const Timeline& timeline, const StackLines& lines, const steps::Steps& steps) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    const std::span<const steps::TrainingStep> used = steps::longest_complete_run(steps);
    Churn churn;
    churn.steps = used.size();
    const std::size_t begin = used.empty() ? 0 : used.front().begin_event;
    const std::size_t end = used.empty() ? timeline.trace().events.size() : used.back().end_event;

    std::vector<AllocationId> made;  // Recorded allocations in the order of their alloc events.
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        if (allocations.origin[i] == Origin::alloc && allocations.alloc_event[i].is_some()) made.push_back(AllocationId{i});
    }
    std::unordered_map<std::uint64_t, std::size_t, KeyedHash> row_of_key;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const AllocationId id = made[i];
        const std::uint32_t alloc = allocations.alloc_event[id.value].value;
        if (alloc < begin || alloc >= end) continue;
        const std::uint64_t size_bytes = allocations.size_bytes[id.value];
        churn.of_bytes += size_bytes;
        ++churn.of_count;
        const EventId free = allocations.free_event[id.value];
        if (!free.is_some()) continue;
        const std::size_t too_late = i + k_max_allocations_between + 1;
        if (too_late < made.size() && allocations.alloc_event[made[too_late].value] < free) continue;
        churn.allocations.push_back(id);
        const StackId stack = allocating_stack(timeline.trace(), id);
        const auto [row_number, is_new] = row_of_key.try_emplace(lines.key(stack), churn.by_stack.size());
        if (is_new) churn.by_stack.emplace_back();
        Churn::Row& row = churn.by_stack[row_number->second];
        row.stack_key = lines.key(stack);
        row.stack = stack;
        row.bytes += size_bytes;
        ++row.count;
        row.largest_bytes = std::max(row.largest_bytes, size_bytes);
    }
    finish_rows(churn, lines);
    return churn;
}

}  // namespace snapviewer::stacks
