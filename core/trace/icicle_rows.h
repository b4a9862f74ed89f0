#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/trace/tracks.h"

/// The measured rows of a report that has stacks but no timestamps: a report of memory or of run times.
/// core/analysis/icicle.h lays them out as pictures.
namespace snapviewer {

/// A place in source code.
struct SourceLine {
    std::string file;
    std::uint32_t line = 0;                               ///< 0 if unknown
    auto operator<=>(const SourceLine&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 takes it for a 0
};

/// The category of a measured row; determines the hue of its bar.
enum class IcicleGroup : std::uint8_t {
    weights,
    activations,
    untracked,
    forward,
    backward,
    forward_and_backward,
    own_code,  ///< Python code of the user's program, in a flame graph
    library_code,
    native_code,
};

/// A measured row of a report, to be drawn as a bar.
struct IcicleEntry {
    std::vector<SourceLine> frames;  ///< stack, outermost frame first
    std::string label;               ///< name of the operation
    double width = 0;                ///< width of the bar in the unit of the axis; never negative
    IcicleGroup group = IcicleGroup::weights;
    std::uint32_t entry = 0;  ///< number of the row in the report
};

/// The title of an icicle and of its axis.
struct IcicleTitle {
    std::string name;
    std::string axis_title;
    Unit unit = Unit::bytes;
};

/// How rows are arranged as bars.
enum class IcicleLayout : std::uint8_t {
    /// Side by side in the given order. Several calls from the same line (a loop over layers) share one bar.
    in_order,
    in_order_apart,  ///< side by side in the given order, with one bar for each call
    by_source,       ///< merged by source line, widest first
};

/// A picture that can be made of the rows.
struct IciclePicture {
    IcicleTitle title;
    IcicleLayout layout = IcicleLayout::in_order;
};

/// Rows and the pictures that can be made of them.
struct IcicleRows {
    std::vector<IcicleEntry> entries;
    std::vector<IciclePicture> pictures;
    /// The allocation of each row of the report on the first device, by IcicleEntry::entry; none() if the row allocated
    /// nothing. Empty if the file does not contain this.
    std::vector<AllocationId> allocations;
};

}  // namespace snapviewer
