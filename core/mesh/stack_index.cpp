#include "core/mesh/stack_index.h"

#include <algorithm>
#include <bit>

#include "core/base/context.h"
#include "core/base/memory.h"

namespace snapviewer::mesh {
namespace {

constexpr std::uint32_t k_index_ticks_between_stop_checks = 4096;
/// Nodes per tick for which capacity is reserved. Unused capacity costs addresses, not memory. Recordings have 1 to 3 nodes
/// per tick, a recording of a hundred million events slightly more; reallocation would take seconds and twice the memory.
constexpr std::size_t k_nodes_per_tick = 5;

bool is_leaf(std::uint32_t child) { return (child & StackIndex::k_leaf) != 0; }

/// Builds the tree version by version. A node splits the allocation ids below it by the highest bit in which they differ:
/// ids without the bit are on the left, ids with the bit on the right. The tree needs no balancing. New ids are always the
/// largest.
class TreeWriter {
public:
    TreeWriter(StackIndex& index, std::size_t expected_nodes) : index_(index) {
        index_.nodes.reserve(expected_nodes);
        bits_.reserve(expected_nodes);
    }

    std::uint64_t total_bytes() const { return total_bytes_; }

    void append(std::uint32_t id, std::uint64_t size_bytes) {
        const std::uint32_t leaf = StackIndex::k_leaf | id;
        if (root_ == StackIndex::k_empty) {
            root_ = leaf;
        } else {
            const auto bit = static_cast<std::uint8_t>(std::bit_width(id ^ largest_id_) - 1);
            Link link;
            std::uint64_t below_bytes = total_bytes_;
            while (!is_leaf(child(link)) && bits_[child(link)] > bit) {
                const std::uint32_t node = own(link);
                below_bytes -= index_.nodes[node].left_bytes;
                link = {node, true};
            }
            set_child(link, new_node({child(link), leaf, below_bytes}, bit));
        }
        total_bytes_ += size_bytes;
        largest_id_ = id;
    }

    /// Removes an allocation and returns its lower edge.
    std::uint64_t remove(std::uint32_t id, std::uint64_t size_bytes) {
        std::uint64_t low_bytes = 0;
        Link link, parent;
        while (!is_leaf(child(link))) {
            const std::uint32_t node = own(link);
            parent = link;
            link = {node, (id >> bits_[node] & 1U) != 0};
            if (link.right) {
                low_bytes += index_.nodes[node].left_bytes;
            } else {
                index_.nodes[node].left_bytes -= size_bytes;
            }
        }
        total_bytes_ -= size_bytes;
        if (link.node == StackIndex::k_empty) {
            root_ = StackIndex::k_empty;
        } else {
            set_child(parent, child({link.node, !link.right}));
            spare_.push_back(link.node);
            if (id == largest_id_) largest_id_ = find_largest();
        }
        return low_bytes;
    }

    /// Ends a version. Later changes copy its nodes instead of modifying them.
    void seal() {
        index_.versions.push_back({root_, 0, total_bytes_});
        sealed_ = index_.nodes.size();
        spare_.clear();
    }

private:
    /// A place that refers to a child: one side of a node, or the root if `node` is k_empty.
    struct Link {
        std::uint32_t node = StackIndex::k_empty;
        bool right = false;
    };

    std::uint32_t child(Link link) const {
        if (link.node == StackIndex::k_empty) return root_;
        return link.right ? index_.nodes[link.node].right : index_.nodes[link.node].left;
    }
    void set_child(Link link, std::uint32_t to) {
        if (link.node == StackIndex::k_empty) {
            root_ = to;
        } else {
            (link.right ? index_.nodes[link.node].right : index_.nodes[link.node].left) = to;
        }
    }

    /// Returns the node at a link, after copying it if an earlier version shares it.
    std::uint32_t own(Link link) {
        const std::uint32_t node = child(link);
        if (node >= sealed_) return node;
        const std::uint32_t copy = new_node(index_.nodes[node], bits_[node]);
        set_child(link, copy);
        return copy;
    }

    std::uint32_t new_node(StackIndex::Node node, std::uint8_t bit) {
        if (!spare_.empty()) {
            const std::uint32_t reused = spare_.back();
            spare_.pop_back();
            index_.nodes[reused] = node;
            bits_[reused] = bit;
            return reused;
        }
        index_.nodes.push_back(node);
        bits_.push_back(bit);
        return static_cast<std::uint32_t>(index_.nodes.size() - 1);
    }

    std::uint32_t find_largest() const {
        std::uint32_t at = root_;
        while (!is_leaf(at)) at = index_.nodes[at].right;
        return at & ~StackIndex::k_leaf;
    }

    StackIndex& index_;
    std::vector<std::uint8_t> bits_;    ///< the bit by which each node splits
    std::vector<std::uint32_t> spare_;  ///< nodes that were created and removed within this version, for reuse
    std::uint32_t root_ = StackIndex::k_empty;
    std::uint32_t largest_id_ = 0;
    std::size_t sealed_ = 0;
    std::uint64_t total_bytes_ = 0;
};

/// Fills StackIndex::peaks and peak_levels.
void build_peaks(StackIndex& index) {
    const auto total = [&](std::uint32_t tick) { return index.changes[tick].total_units; };
    const auto tick_count = static_cast<std::uint32_t>(index.changes.size());
    constexpr std::uint32_t k_fanout = gpu_format::k_peak_fanout;
    std::uint32_t below_begin = 0;
    std::uint32_t below_count = tick_count;
    for (bool first = true; below_count > 1; first = false) {
        const auto begin = static_cast<std::uint32_t>(index.peaks.size());
        index.peak_levels.push_back(begin);
        const auto below = [&](std::uint32_t i) { return first ? i : index.peaks[below_begin + i]; };
        for (std::uint32_t i = 0; i < below_count; i += k_fanout) {
            std::uint32_t best = below(i);
            for (std::uint32_t j = i + 1; j < std::min(i + k_fanout, below_count); ++j) {
                if (total(below(j)) > total(best)) best = below(j);
            }
            index.peaks.push_back(best);
        }
        below_begin = begin;
        below_count = static_cast<std::uint32_t>(index.peaks.size()) - begin;
    }
}

}  // namespace

std::uint64_t StackIndex::memory_bytes() const {
    return nodes.size() * sizeof(Node) + versions.size() * sizeof(Version) + changes.size() * sizeof(Change) +
           peaks.size() * sizeof(std::uint32_t);
}

std::optional<PlacedAllocation> StackIndex::find(std::span<const std::uint64_t> sizes, std::uint32_t tick,
                                                 std::uint64_t lift_bytes, std::uint64_t offset_bytes) const {
    const auto placed = [offset_bytes](std::uint32_t id, std::uint64_t bytes_above_its_edge) {
        return PlacedAllocation{AllocationId{id}, static_cast<double>(offset_bytes - bytes_above_its_edge)};
    };
    std::uint64_t y = offset_bytes;
    if (lift_bytes > 0 && y >= changes[tick].low_bytes) {
        if (y < changes[tick].low_bytes + lift_bytes) return std::nullopt;
        y -= lift_bytes;
    }
    const std::uint32_t version = tick >> version_shift;
    for (std::uint32_t t = tick; t > version << version_shift; --t) {
        const Change& change = changes[t];
        if (change.allocation == k_empty || y < change.low_bytes) continue;
        const std::uint32_t id = change.allocation & ~k_free;
        if ((change.allocation & k_free) != 0) {
            y += sizes[id];
        } else if (y < change.low_bytes + sizes[id]) {
            return placed(id, y - change.low_bytes);
        } else {
            return std::nullopt;
        }
    }
    if (y >= versions[version].total_bytes) return std::nullopt;
    std::uint32_t at = versions[version].root;
    while (!is_leaf(at)) {
        const Node& node = nodes[at];
        if (y < node.left_bytes) {
            at = node.left;
        } else {
            y -= node.left_bytes;
            at = node.right;
        }
    }
    return placed(at & ~k_leaf, y);
}

std::uint32_t StackIndex::peak_tick(std::uint32_t first, std::uint32_t last) const {
    std::uint32_t best = first;
    for (std::uint32_t tick = first; tick <= last;) {
        std::uint32_t level = 0;
        std::uint32_t span = 1;
        const auto next_span = [&] { return span * gpu_format::k_peak_fanout; };
        for (; level < peak_levels.size() && (tick & (next_span() - 1)) == 0 && tick + next_span() - 1 <= last; ++level)
            span = next_span();
        const std::uint32_t candidate = level == 0 ? tick : peaks[peak_levels[level - 1] + tick / span];
        if (changes[candidate].total_units > changes[best].total_units) best = candidate;
        tick += span;
    }
    return best;
}

StackIndex build_stack_index(const DeviceTrace& trace, std::uint32_t version_shift) {
    StackIndex index;
    index.version_shift = version_shift;
    const std::vector<std::uint64_t>& sizes = trace.allocations.size_bytes;
    index.unit_shift = gpu_format::unit_shift_for(peak_bytes(trace));
    const auto units = [&](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes >> index.unit_shift); };
    const auto action_count = static_cast<std::uint32_t>(trace.actions.size());
    index.changes.reserve(action_count + 2U);
    index.versions.reserve(((action_count + 1U) >> version_shift) + 1);
    GrowthAhead<2> growth;
    LiveWalk walk(trace);
    TreeWriter tree(index, k_nodes_per_tick * action_count);
    for (std::uint32_t id = 0; id < trace.initial_count; ++id) tree.append(id, sizes[id]);
    // Adds a change of the present tick, which the tree already contains.
    const auto add_change = [&](std::uint64_t low_bytes, std::uint32_t allocation) {
        if (index.changes.size() % (1U << version_shift) == 0) tree.seal();
        index.changes.push_back({low_bytes, allocation, units(tree.total_bytes())});
    };
    add_change(0, StackIndex::k_empty);
    for (std::uint32_t tick = 1; tick <= action_count; ++tick) {
        if (tick % k_index_ticks_between_stop_checks == 0) {
            check_stop();
            growth.prefault_growth(index.changes, index.nodes);
        }
        const AllocationId id = trace.actions[tick - 1];
        if (walk.toggle(id)) {
            const std::uint64_t low_bytes = tree.total_bytes();
            tree.append(id.value, sizes[id.value]);
            add_change(low_bytes, id.value);
        } else {
            add_change(tree.remove(id.value, sizes[id.value]), StackIndex::k_free | id.value);
        }
    }
    add_change(0, StackIndex::k_empty);
    index.changes.back().total_units = 0;  // no total at the right edge, where the picture ends
    build_peaks(index);
    return index;
}

StackIndex build_stack_index(const DeviceTrace& trace, std::size_t max_nodes) {
    constexpr std::uint32_t k_max_shift = 8;
    std::uint32_t shift = trace.actions.size() <= std::size_t{1} << 24 ? 2 : 4;
    StackIndex index = build_stack_index(trace, shift);
    while (index.nodes.size() > max_nodes && shift < k_max_shift) {
        index = {};  // frees this index before the next one is built
        shift += 2;
        index = build_stack_index(trace, shift);
    }
    return index;
}

}  // namespace snapviewer::mesh
