#include "core/analysis/holders.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/trace/allocation_metadata.h"

namespace snapviewer {

std::vector<SourceBytes> largest_sources(const Timeline& timeline, const StackLines& lines, std::uint32_t tick,
                                         std::size_t count) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    const AllocatorsOwn own(timeline.snapshot());
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

}  // namespace snapviewer
