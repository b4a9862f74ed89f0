#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/mesh/gpu_format.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

/// The live stack of one device after every tick, so compact that all of history stands on the GPU: what the picture is
/// drawn from at any zoom, at a cost that follows its pixels.
///
/// The stack is a binary tree over allocation ids (which are in stacking order); each inner node knows how many bytes lie to
/// its left, so that finding what is at a given height costs a handful of steps. A change copies the path from the root and
/// shares the rest with the version before it. A version is kept every k_version_ticks ticks; the changes since are undone
/// one by one on the way. Size and time therefore follow the number of allocs and frees, never the number of path points.
struct StackIndex {
    static constexpr std::uint32_t k_version_ticks = gpu_format::k_version_ticks;
    static constexpr std::uint32_t k_leaf = gpu_format::k_flag;    ///< in a child or root: an allocation, not a node
    static constexpr std::uint32_t k_free = gpu_format::k_flag;    ///< in a change: it ends the allocation
    static constexpr std::uint32_t k_empty = gpu_format::k_empty;  ///< a root of nothing; a change that changes nothing
    static constexpr std::uint32_t k_peak_fanout = gpu_format::k_peak_fanout;

    struct Node {
        std::uint32_t left, right;
        std::uint64_t left_bytes;
    };
    struct Version {
        std::uint32_t root;
        std::uint32_t unused;
        std::uint64_t total_bytes;
    };
    struct Change {
        std::uint64_t low_bytes;    ///< lower edge of the allocation that starts or ends
        std::uint32_t allocation;   ///< with k_free
        std::uint32_t total_units;  ///< total after it, in units of 2^unit_shift bytes: to compare, not to place
    };

    std::vector<Node> nodes;
    std::vector<Version> versions;  ///< after ticks 0, k_version_ticks, 2 * k_version_ticks ...
    std::vector<Change> changes;    ///< one per tick
    /// The tick with the largest total among every 4, 16, 64 ... ticks, level after level: the peak of any range in few
    /// steps.
    std::vector<std::uint32_t> peaks;
    std::vector<std::uint32_t> peak_levels;  ///< where in `peaks` each level begins
    std::uint32_t unit_shift = 0;

    std::uint64_t memory_bytes() const;

    /// What lies at a height once a tick's change is made; `lift_bytes` of a free that is still sliding raise everything
    /// that lay above it. `sizes` are the allocations' of the trace. The shader's own search, for tests and for the cursor.
    std::optional<PlacedAllocation> find(std::span<const std::uint64_t> sizes, std::uint32_t tick, std::uint64_t lift_bytes,
                                         std::uint64_t offset_bytes) const;
    /// The tick of the largest total from `first` to `last`, both included; the earliest of several.
    std::uint32_t peak_tick(std::uint32_t first, std::uint32_t last) const;
};

/// Throws stopped(). Only for traces without recorded paths. Needs no timeline, so that one may be laid out meanwhile.
/// O(actions x log live).
StackIndex build_stack_index(const DeviceTrace& trace);

}  // namespace snapviewer
