#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/shared_column.h"

namespace snapviewer {

/// What a number of a series counts.
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

/// What of a device's memory a curve counts: decides its colour, whether it is shown from the start and what the gap lies
/// between.
enum class CurveRole : std::uint8_t {
    other,
    allocated,  ///< what the program holds
    active,     ///< that, and what it freed while other streams may still use it
    reserved,   ///< what the allocator holds
    process,    ///< what the whole process holds, the allocator's part included
};

/// How a series is drawn in its track.
enum class SeriesShape : std::uint8_t {
    line,
    area,        ///< filled from 0 up
    mirrored,    ///< filled from 0 down: the other direction of the area before it
    stacked,     ///< filled, on top of the stacked ones before it
    ribbon_low,  ///< the lower edge of a shade; the upper one is next, and then what lies between them
    ribbon_high,
};

/// A measured quantity as the file gives it: a value holds until the next one.
struct Series {
    std::string name;
    Unit unit = Unit::bytes;
    SharedColumn<std::int64_t> time_us;  ///< the clock of EventColumns::time_us; never falls
    SharedColumn<double> values;         ///< parallel to time_us
    SeriesShape shape = SeriesShape::line;
    CurveRole role = CurveRole::other;
    std::string id = {};  ///< what settings remember it by; only of those over the picture: "operators_reserved"
};

/// A named stretch of time. An end the file does not know is k_no_time.
struct Range {
    std::string name;
    std::int64_t start_us = 0;
    std::int64_t end_us = 0;
};

/// An amount that the file states, drawn as a line across the picture.
struct RecordedLevel {
    std::string id;  ///< what settings remember it by
    std::string name;
    std::string doc;
    double bytes = 0;
};

/// What belongs together in one row below the picture: series over each other, or ranges beside and inside each other.
struct Track {
    std::string name;
    std::vector<Series> series;
    std::vector<Range> ranges;
    std::string note = {};     ///< why there is nothing to draw, where that is worth saying ("all 1,200 values are 0")
    bool holds_steps = false;  ///< the ranges are the steps that a profiler saw
};

}  // namespace snapviewer
