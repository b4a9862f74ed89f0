#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/trace/icicle_rows.h"

namespace snapviewer {

const char* group_name(IcicleGroup group);  ///< "Weights", "Forward and backward"

/// "attention.py:17"; only the name where the line is not known. Knows both kinds of slashes.
std::string short_place(const SourceLine& place);

/// One bar: a place in the source or an operation, as wide as everything below it.
struct IcicleNode {
    static constexpr std::uint32_t k_none = std::numeric_limits<std::uint32_t>::max();

    std::string label;          ///< "attention.py:17"; of a leaf the names of what happened there: "mul, add"
    std::string function = {};  ///< of a flame graph the function called; otherwise empty
    SourceLine place;           ///< of a leaf the line it is on; empty for roots
    IcicleGroup group = IcicleGroup::weights;
    bool is_leaf = false;
    std::uint32_t parent = k_none;  ///< the bar it is a part of: next to it towards the root
    std::uint32_t depth = 0;        ///< a row; a root is a group
    double start = 0;               ///< left edge, in the icicle's unit
    double width = 0;
    std::uint32_t first_entry = 0;  ///< into Icicle::entries: what lies below this bar
    std::uint32_t entry_count = 0;
    std::uint32_t twin = k_none;  ///< the same operation's other half (backward of forward)

    double end() const { return start + width; }
    /// Whether it is a call of a function that others call, too, so that one may ask who.
    bool is_call() const { return !function.empty() && !place.file.empty(); }
};

/// A picture whose x axis is an amount (bytes, milliseconds) and whose rows are the frames of stacks, outermost on top.
/// Immutable once built.
struct Icicle {
    std::string name;        ///< "by source", "execution order"
    std::string axis_title;  ///< "sum of separately measured operations"
    Unit unit = Unit::bytes;
    double total = 0;               ///< right edge
    std::uint32_t root_row = 0;     ///< depth of the roots: above them are their callers, the direct ones next to them
    std::vector<IcicleNode> nodes;  ///< level by level, each from left to right
    std::vector<std::uint32_t> level_ends;   ///< nodes of depths 0 .. i
    std::vector<std::uint32_t> entries;      ///< rows of the report (allocations or operations), from left to right
    std::vector<std::uint32_t> entry_nodes;  ///< parallel to entries: the leaf each is in
    /// What each row of the report allocated, of the first device; none() where it allocated nothing. Empty where the file
    /// does not tell.
    std::vector<AllocationId> allocations;

    std::uint32_t depth_count() const { return static_cast<std::uint32_t>(level_ends.size()); }
    /// The nodes of one depth, from left to right, by their number.
    std::uint32_t level_begin(std::uint32_t depth) const { return depth == 0 ? 0 : level_ends[depth - 1]; }
    std::span<const std::uint32_t> entries_of(const IcicleNode& node) const {
        return {entries.data() + node.first_entry, node.entry_count};
    }
    /// All that the rows below a node allocated. O(entries of the node).
    std::vector<AllocationId> allocations_of(const IcicleNode& node) const;
    /// The bar at a place; nullopt over empty ground. O(log n).
    std::optional<std::uint32_t> pick(double x, std::uint32_t depth) const;
    /// The leaf that shows a row of the report; the first one if there are two. O(n).
    std::optional<std::uint32_t> leaf_of(std::uint32_t entry) const;
    /// The leaf that shows the row that made an allocation; likewise.
    std::optional<std::uint32_t> leaf_of(AllocationId id) const;
};

/// Whether a bar that several calls share (a loop over layers on one line) is one bar or one per call.
enum class RepeatedCalls : std::uint8_t { together, apart };

/// Entries side by side as given. Neighbours share the bars of the outer frames they have in common; a group is a root.
/// Calls are told apart by what is below them beginning again. Entries of one number in two groups become twins. O(frames).
Icicle icicle_in_order(const IcicleTitle& title, std::span<const IcicleEntry> entries, RepeatedCalls repeated_calls);

/// Entries merged by where they come from, the widest first; what happened on one line is one leaf, a bar that would hold
/// nothing but one other bar is left out. A group is a root, in the order in which groups first appear. O(frames log n).
Icicle icicle_by_source(const IcicleTitle& title, std::span<const IcicleEntry> entries);

/// All pictures of a report's rows, in the order in which it names them. O(rows * pictures * log rows).
std::vector<Icicle> build_icicles(std::span<const IcicleRows> reports);

}  // namespace snapviewer
