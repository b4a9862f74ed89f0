#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/timeline/emphasis.h"
#include "core/timeline/live_totals.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The changes between two moments.
struct RangeTotals {
    std::int64_t net_bytes = 0;  ///< increase of the total; negative if it fell
    LiveShare made;              ///< allocations made, including those freed again by the end
    LiveShare freed;
    std::vector<StackTotal> stacks;  ///< stacks of the allocations made, sorted by bytes in descending order, then by stack
                                     ///< id
};

/// Sums up the changes of the ticks after `first_tick` up to `last_tick`. `most_stacks` is the maximum number of stacks in
/// the result. O(ticks between them).
RangeTotals range_totals(const Timeline& timeline, std::uint32_t first_tick, std::uint32_t last_tick,
                         std::size_t most_stacks);

}  // namespace snapviewer
