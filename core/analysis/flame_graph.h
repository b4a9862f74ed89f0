#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/call_tree.h"
#include "core/analysis/icicle.h"

namespace snapviewer {

/// Which allocations a flame graph counts.
enum class FlameOf : std::uint8_t {
    live,  ///< what is alive at a moment
    made,  ///< what was allocated in a range
    left,  ///< of that what is alive at its end
};

/// What a flame graph is of.
struct FlameMoment {
    std::uint32_t tick = 0;  ///< the moment, or the end of the range
    PathChoice paths = {};   ///< with a function, its callers stand above it and what it called below, whatever the order
    FlameOf of = FlameOf::live;
    std::uint32_t first_tick = 0;  ///< of the range: the changes after it count
    bool operator==(const FlameMoment&) const = default;
};

/// The allocations that count, whatever their stacks. O(live), or O(ticks of the range).
std::vector<AllocationId> counted_allocations(const Timeline& timeline, const FlameMoment& moment);

/// These as a flame graph: an icicle whose entries are the allocations and whose bars are calls, the largest first. One
/// root: "all", or the function; what a call allocated itself is at its right end, below which there is no bar. Around a
/// function the rows above it tell who called it; each allocation is there twice, below it and above. Fails only when
/// stopped. As make_call_tree(), and O(allocations log allocations).
Icicle make_flame_graph(const Timeline& timeline, const StackLines& lines, const FlameMoment& moment);

/// The same allocations and frames as folded_stacks(), whole stacks from the outermost frame on, however the graph is
/// turned.
std::string flame_as_folded(const Timeline& timeline, const StackLines& lines, const FlameMoment& moment);

}  // namespace snapviewer
