#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/shared_column.h"

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

}  // namespace snapviewer
