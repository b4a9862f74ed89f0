#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
    std::vector<std::int64_t> time_us;  ///< the clock of EventColumns::time_us; never falls
    std::vector<double> values;         ///< parallel to time_us
    SeriesShape shape = SeriesShape::line;
};

/// A named stretch of time. An end the file does not know is k_no_time.
struct Range {
    std::string name;
    std::int64_t start_us = 0;
    std::int64_t end_us = 0;
};

/// An amount that the file states, drawn as a line across the picture.
struct RecordedLevel {
    std::string name;
    std::string doc;
    double bytes = 0;
};

/// What belongs together in one row below the picture: series over each other, or ranges beside and inside each other.
struct Track {
    std::string name;
    std::vector<Series> series;
    std::vector<Range> ranges;
    std::string note;  ///< why there is nothing to draw, where that is worth saying ("all 1,200 values are 0")
};

}  // namespace snapviewer
