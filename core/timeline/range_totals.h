#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/timeline/emphasis.h"
#include "core/timeline/live_totals.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// What happened between two moments.
struct RangeTotals {
    std::int64_t net_bytes = 0;  ///< by how much the total grew
    LiveShare made;              ///< what was allocated, also where it is gone by the end
    LiveShare freed;
    std::vector<StackTotal> stacks;  ///< of what was made: most bytes first, among equals the lower id
};

/// The changes of the ticks after `first_tick` up to `last_tick`, and the largest stacks among them, so many at most.
/// O(ticks between them).
RangeTotals range_totals(const Timeline& timeline, std::uint32_t first_tick, std::uint32_t last_tick,
                         std::size_t most_stacks);

}  // namespace snapviewer
