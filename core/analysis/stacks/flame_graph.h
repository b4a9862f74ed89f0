#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/stacks/call_tree.h"
#include "core/analysis/stacks/icicle.h"

namespace snapviewer {

/// The allocations that a flame graph counts.
enum class FlameSelection : std::uint8_t {
    live,       ///< All allocations that are live at a moment
    allocated,  ///< Allocations that were made in a range of time
    remaining,  ///< Allocations that were made in a range of time and are live at its end
};

/// The contents of a flame graph: a moment or range of time, and options.
struct FlameMoment {
    std::uint32_t tick = 0;  ///< The moment, or the end of the range
    /// Paths of the graph. If paths.around is set, paths.order is ignored: callers are above the function, callees below.
    PathChoice paths = {};
    FlameSelection of = FlameSelection::live;
    std::uint32_t first_tick = 0;  ///< Begin of the range; changes after this tick count
    bool operator==(const FlameMoment&) const = default;
};

/// Returns the allocations that the graph counts, regardless of their stacks. O(live), or O(ticks of the range).
std::vector<AllocationId> counted_allocations(const Timeline& timeline, const FlameMoment& moment);

/// Makes a flame graph of counted_allocations(): an icicle whose entries are the allocations and whose bars are calls, the
/// largest first. The only root is "all", or the function of paths.around. Memory that a call allocated itself takes the
/// right end of its bar, without a bar below. In a graph around a function, the rows above it are its callers, and each
/// allocation appears twice: below the function and above it. Throws a Failure only when stopped. Takes as long as
/// make_call_tree(), plus O(allocations log allocations).
Icicle make_flame_graph(const Timeline& timeline, const StackLines& lines, const FlameMoment& moment);

/// Returns the same allocations and frames in the format of folded_stacks(). Always contains whole stacks, beginning with
/// the outermost frame, regardless of paths.order and paths.around.
std::string flame_as_folded(const Timeline& timeline, const StackLines& lines, const FlameMoment& moment);

}  // namespace snapviewer
