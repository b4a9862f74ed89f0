#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace snapviewer {

/// A tick mark on an axis and its label. All labels of one axis are different.
struct AxisTick {
    double value = 0;
    std::string label;
};

/// Tick marks at round numbers of bytes within [begin, end]: powers of two times 1, 2, 4, ... of a binary unit. There is
/// about one per `spacing_px` of `length_px`. Labels have as many decimals as it takes to make them different.
std::vector<AxisTick> memory_ticks(double begin, double end, double length_px, double spacing_px);

/// Tick marks at round numbers of steps (1, 2, 5 x 10^n).
std::vector<AxisTick> step_ticks(double begin, double end, double length_px, double spacing_px);

/// Tick marks at round durations since the left edge; `begin` and `end` are in microseconds.
std::vector<AxisTick> time_ticks(double begin, double end, double length_px, double spacing_px);

/// Tick marks at round times of day (UTC), labelled "23:57:04.125". `start_us` is the wall clock time at position 0, in
/// microseconds since the Unix epoch.
std::vector<AxisTick> clock_ticks(double begin, double end, std::int64_t start_us, double length_px, double spacing_px);

}  // namespace snapviewer
