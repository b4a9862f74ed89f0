#pragma once

#include <cstdint>

#include "core/analysis/call_tree.h"
#include "core/analysis/icicle.h"

namespace snapviewer {

/// What a flame graph is of.
struct FlameMoment {
    std::uint32_t tick = 0;
    TreeFrames frames = TreeFrames::filtered;
    CallOrder order = CallOrder::callers_first;
    bool operator==(const FlameMoment&) const = default;
};

/// What is live after a tick as a flame graph: an icicle whose entries are the live allocations and whose bars are calls,
/// the largest first. One root, "all"; what a call allocated itself is at its right end, below which there is no bar. Fails
/// only when stopped. As make_call_tree(), and O(live).
Result<Icicle> make_flame_graph(const Timeline& timeline, const StackLines& lines, const FlameMoment& moment,
                                const Progress* progress = nullptr);

}  // namespace snapviewer
