#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/mesh/gpu_format.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"
#include "core/trace/stack_table.h"

namespace snapviewer::mesh {

/// The live stack of one device after every tick, compact enough to fit into the memory of the GPU. Views at any zoom are
/// drawn from it, at a cost that follows the number of pixels.
///
/// The stack is a persistent binary tree over allocation ids, which are in stacking order. Each inner node stores the bytes
/// to its left, so that a look-up by height takes a few steps. A change copies the path from the root and shares all other
/// nodes with the previous version. A version is kept every few ticks; a look-up between two versions undoes the changes
/// since the earlier one. Size and build time therefore follow the number of allocs and frees, not the number of path
/// points.
struct StackIndex {
    static constexpr std::uint32_t k_leaf = gpu_format::k_flag;    ///< flag in a child or root: an allocation, not a node
    static constexpr std::uint32_t k_free = gpu_format::k_flag;    ///< flag in a change: it ends the allocation
    static constexpr std::uint32_t k_empty = gpu_format::k_empty;  ///< the root of an empty tree, or a change without effect

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
        std::uint32_t allocation;   ///< id, with the flag k_free
        std::uint32_t total_units;  ///< total after the change in units of 2^unit_shift bytes, for comparing totals
    };

    std::vector<Node> nodes;
    std::vector<Version> versions;  ///< trees after every 2^version_shift ticks, beginning with tick 0
    std::vector<Change> changes;    ///< the change of each tick
    /// The tick with the largest total of every 4 ticks, then of every 16, 64 and so on, level after level. Finds the peak
    /// of any range in few steps.
    std::vector<std::uint32_t> peaks;
    std::vector<std::uint32_t> peak_levels;  ///< first index of each level in `peaks`
    std::uint32_t unit_shift = 0;
    std::uint32_t version_shift = 0;

    std::uint64_t memory_bytes() const;

    /// Returns the allocation at a height after the change of a tick, or nullopt. Allocations above one that the tick freed
    /// are drawn `lift_bytes` higher while they slide. `sizes` has the size of each allocation. Searches like the shader;
    /// used for the cursor and by tests.
    std::optional<PlacedAllocation> find(std::span<const std::uint64_t> sizes, std::uint32_t tick, std::uint64_t lift_bytes,
                                         std::uint64_t offset_bytes) const;
    /// Returns the tick with the largest total from `first` to `last`, both included; the earliest one if several are equal.
    std::uint32_t peak_tick(std::uint32_t first, std::uint32_t last) const;
};

/// Builds the index of a trace without recorded paths. Needs no timeline, so that the timeline can be computed at the same
/// time. Throws stopped(). O(actions x log live).
StackIndex build_stack_index(const DeviceTrace& trace, std::uint32_t version_shift);

/// Builds the index with a version every 4 ticks, or every 16 ticks in recordings of more than 17 million allocs and frees.
/// If it has more than `max_nodes` nodes, it is built again with fewer versions, down to one every 256 ticks. Few versions
/// have few nodes, so that those of a long recording fit into one table of the GPU, which holds 134 million on most
/// drivers. Pictures are the same, but each pixel takes longer.
StackIndex build_stack_index(const DeviceTrace& trace, std::size_t max_nodes = std::size_t{1} << 27);

}  // namespace snapviewer::mesh
