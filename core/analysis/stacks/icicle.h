#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/stacks/call_tree.h"
#include "core/trace/profile_data.h"
#include "core/trace/stack_table.h"

namespace snapviewer::stacks {

const char* group_name(IcicleGroup group);  ///< Label of a root bar, such as "Weights" or "Forward and backward"

/// Text such as "attention.py:17", or only the file name if the line is unknown. Accepts paths with slashes or backslashes.
std::string short_place(const SourceLine& place);

/// One bar: a place in the source code or an operation. It is as wide as all entries below it together.
struct IcicleNode {
    static constexpr std::uint32_t k_none = std::numeric_limits<std::uint32_t>::max();

    /// Text on the bar, such as "attention.py:17". A leaf has the names of its operations, such as "mul, add".
    std::string label;
    std::string function = {};  ///< Name of the called function in a flame graph; empty in other pictures
    SourceLine place;           ///< Source line of the bar; for a leaf, the line that ran its operations. Empty for a root.
    IcicleGroup group = IcicleGroup::weights;
    bool is_leaf = false;
    std::uint32_t parent = k_none;  ///< Index of the enclosing bar, one row closer to the root; k_none for a root
    std::uint32_t depth = 0;        ///< Row of the bar. A root is the bar of a whole group.
    double start = 0;               ///< Left edge, in the unit of the icicle
    double width = 0;
    std::uint32_t first_entry = 0;  ///< Index of the first entry below this bar, in Icicle::entries
    std::uint32_t entry_count = 0;
    /// Index of the leaf with the other half of the same operation (forward and backward), or k_none
    std::uint32_t twin = k_none;

    double end() const { return start + width; }
    /// True for a call of a known function in a flame graph, whose callers can be shown.
    bool is_call() const { return !function.empty() && !place.file.empty(); }
};

/// A picture whose x axis is an amount (bytes or milliseconds) and whose rows are the frames of stacks, with the outermost
/// frame on top. Immutable after construction.
struct Icicle {
    std::string name;        ///< Short title, such as "by source" or "execution order"
    std::string axis_title;  ///< Title of the x axis, such as "sum of separately measured operations"
    Unit unit = Unit::bytes;
    double total = 0;  ///< Right edge of the picture
    /// Depth of the roots. Rows above it contain their callers, with the direct callers next to the roots.
    std::uint32_t root_row = 0;
    std::vector<IcicleNode> nodes;  ///< All bars, level by level and each level from left to right
    /// Index of the first node after each level; element i is the number of nodes with depth 0 to i
    std::vector<std::uint32_t> level_ends;
    std::vector<std::uint32_t> entries;      ///< Row numbers of the report (allocations or operations), from left to right
    std::vector<std::uint32_t> entry_nodes;  ///< Index of the leaf that contains each entry, parallel to `entries`
    /// The allocation made by each row of the report, on the first device. AllocationId::none() if a row allocates nothing.
    /// The vector is empty if the file does not record allocations per row.
    std::vector<AllocationId> allocations;

    std::uint32_t depth_count() const { return static_cast<std::uint32_t>(level_ends.size()); }
    /// Index of the first node of a level. The nodes of a level are contiguous and sorted from left to right.
    std::uint32_t level_begin(std::uint32_t depth) const { return depth == 0 ? 0 : level_ends[depth - 1]; }
    std::span<const std::uint32_t> entries_of(const IcicleNode& node) const {
        return {entries.data() + node.first_entry, node.entry_count};
    }
    /// The allocations made by all rows below a node. O(entries of the node).
    std::vector<AllocationId> allocations_of(const IcicleNode& node) const;
    /// Index of the bar at a position, or nullopt outside all bars. O(log n).
    std::optional<std::uint32_t> pick(double x, std::uint32_t depth) const;
    /// Index of the leaf that contains a row of the report, or of the first leaf if two contain it. O(n).
    std::optional<std::uint32_t> leaf_of(std::uint32_t entry) const;
    /// Index of the leaf that contains the row which made an allocation, or of the first leaf if two contain it. O(n).
    std::optional<std::uint32_t> leaf_of(AllocationId id) const;
};

/// Lays out entries as bars, each group of entries with a root. Throws a Failure only when stopped. O(frames log n).
///
/// In the given order (see IcicleLayout), neighbours share the bars of their common outer frames. A new call of a bar begins
/// where its first child occurs again. Two leaves with the same entry number in different groups become twins (see
/// IcicleNode::twin).
///
/// By source line, all operations of one line are one leaf, and a bar that would contain only one other bar is left out.
/// Roots are in the order of their first entry.
Icicle build_icicle(const IciclePicture& picture, std::span<const IcicleEntry> entries);

/// Builds all pictures of some reports, in the order in which each report lists them. O(rows * pictures * log rows).
std::vector<Icicle> build_icicles(std::span<const IcicleRows> reports);

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

}  // namespace snapviewer::stacks
