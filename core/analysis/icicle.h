#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trace/tracks.h"

namespace snapviewer {

/// What an icicle's node stands for; decides its hue.
enum class IcicleGroup : std::uint8_t { weights, activations, untracked, forward, backward, other };

/// One bar: a place in the source or an operation, as wide as everything below it.
struct IcicleNode {
    static constexpr std::uint32_t k_none = std::numeric_limits<std::uint32_t>::max();

    std::string label;       ///< "attention.py:17", "linear"
    std::string file;        ///< as in the report, empty for operations and groups
    std::uint32_t line = 0;  ///< 0 = not known
    IcicleGroup group = IcicleGroup::other;
    std::uint32_t parent = k_none;
    std::uint32_t depth = 0;  ///< 0 = a root
    double start = 0;         ///< left edge, in the icicle's unit
    double width = 0;
    std::uint32_t entry = k_none;  ///< leaf: the row of the report (allocation or operation) it stands for
    std::uint32_t twin = k_none;   ///< the same operation's other half (backward of forward)
};

/// A picture whose x axis is an amount (bytes, milliseconds) and whose rows are the frames of stacks, outermost on top.
struct Icicle {
    std::string name;        ///< "by source", "execution order"
    std::string axis_title;  ///< "sum of separately measured operations"
    Unit unit = Unit::bytes;
    double total = 0;  ///< right edge
    std::uint32_t depth_count = 0;
    std::vector<IcicleNode> nodes;  ///< parents before children, each level from left to right

    /// The deepest node at a place; nullopt over empty ground. O(log n) a level.
    std::optional<std::uint32_t> pick(double x, std::uint32_t depth) const;
};

}  // namespace snapviewer
