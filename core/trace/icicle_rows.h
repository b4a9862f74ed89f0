#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/trace/tracks.h"

/// What a report that has stacks but no time measured, row by row. core/analysis/icicle.h makes pictures of it.
namespace snapviewer {

/// A place in source code.
struct SourceLine {
    std::string file;
    std::uint32_t line = 0;                               ///< 0 = not known
    auto operator<=>(const SourceLine&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 takes it for a 0
};

/// What a measured row is a part of; decides the hue of its bar.
enum class IcicleGroup : std::uint8_t {
    weights,
    activations,
    untracked,
    forward,
    backward,
    forward_and_backward,
    own_code,  ///< Python of the program itself, in a flame graph
    library_code,
    native_code,
};

/// One measured thing to lay out.
struct IcicleEntry {
    std::vector<SourceLine> frames;  ///< outermost first
    std::string label;               ///< the operation
    double width = 0;                ///< never negative
    IcicleGroup group = IcicleGroup::weights;
    std::uint32_t entry = 0;  ///< the row it stands for
};

/// What an icicle is called and what its axis counts.
struct IcicleTitle {
    std::string name;
    std::string axis_title;
    Unit unit = Unit::bytes;
};

/// How rows become bars.
enum class IcicleLayout : std::uint8_t {
    in_order,        ///< side by side as given; a bar that several calls share (a loop over layers on one line) is one bar
    in_order_apart,  ///< the same, one bar for each call
    by_source,       ///< merged by where they come from, the widest first
};

/// One picture that can be made of some rows.
struct IciclePicture {
    IcicleTitle title;
    IcicleLayout layout = IcicleLayout::in_order;
};

/// Rows and the pictures they are for.
struct IcicleRows {
    std::vector<IcicleEntry> entries;
    std::vector<IciclePicture> pictures;
    /// What each row of the report allocated, of the first device, by IcicleEntry::entry; none() where it allocated nothing.
    /// Empty where the file does not tell.
    std::vector<AllocationId> allocations;
};

}  // namespace snapviewer
