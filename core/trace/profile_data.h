#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/columns.h"
#include "core/base/result.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

/// The unit of the values of a series.
enum class Unit : std::uint8_t {
    bytes,
    bytes_per_second,
    packets_per_second,
    megahertz,
    percent,
    nanoseconds,
    milliseconds,
    count
};

/// The part of a device's memory that a curve measures. Determines its colour, whether it is shown by default, and between
/// which curves the gap is shaded.
enum class CurveRole : std::uint8_t {
    other,
    allocated,  ///< memory that the program holds
    active,     ///< allocated, plus freed memory that other streams may still use
    reserved,   ///< memory that the allocator holds
    process,    ///< memory that the whole process holds, the allocator's included
};

/// How a series is drawn in its track.
enum class SeriesShape : std::uint8_t {
    line,
    area,      ///< filled upwards from 0
    mirrored,  ///< filled downwards from 0: the opposite direction of the preceding area
    stacked,   ///< filled, on top of the preceding stacked series
    /// Lower edge of a shaded band. The next series is its upper edge, followed by the series between them.
    ribbon_low,
    ribbon_high,
};

/// A measured quantity from the file. A value is valid until the next one.
struct Series {
    std::string name;
    Unit unit = Unit::bytes;
    SharedColumn<std::int64_t> time_us;  ///< non-decreasing; same clock as EventColumns::time_us
    SharedColumn<double> values;         ///< parallel to time_us
    SeriesShape shape = SeriesShape::line;
    CurveRole role = CurveRole::other;
    /// Key under which preferences are stored: "operators_reserved". Only for series drawn over the picture.
    std::string id = {};
};

/// A named interval of time. Unknown ends are k_no_time.
struct Range {
    std::string name;
    std::int64_t start_us = 0;
    std::int64_t end_us = 0;
};

/// An amount that the file contains, drawn as a horizontal line across the picture.
struct RecordedLevel {
    std::string id;  ///< key under which preferences are stored
    std::string name;
    std::string doc;
    double bytes = 0;
};

/// One row below the picture: series drawn over each other, or ranges side by side and nested.
struct Track {
    std::string name;
    std::vector<Series> series;
    std::vector<Range> ranges;
    std::string note = {};     ///< reason why the track is empty, if useful to the user ("all 1,200 values are 0")
    bool holds_steps = false;  ///< true if the ranges are the steps that a profiler recorded
};

// The measured rows of a report that has stacks but no timestamps: a report of memory or of run times.
// core/analysis/stacks/icicle.h lays them out as pictures.

/// A place in source code.
struct SourceLine {
    std::string file;
    std::uint32_t line = 0;                               ///< line number; 0 if unknown
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
    in_order_per_call,  ///< side by side in the given order, with one bar for each call
    by_source,          ///< merged by source line, widest first
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

/// A titled list in the details of an allocation. A row is a fact (name and value) or, with an empty name, a line of text
/// such as a stack frame.
struct DetailSection {
    std::string title;
    std::vector<std::pair<std::string, std::string>> rows;
};

/// Looks up on demand what a file contains about an allocation beyond the columns of a trace: owning operations, stacks,
/// kernels. A call may take milliseconds. Any thread may call it, but only one at a time.
class DetailSource {
public:
    virtual ~DetailSource() = default;
    virtual Result<std::vector<DetailSection>> details(std::size_t device_index, AllocationId id) = 0;
};

}  // namespace snapviewer
