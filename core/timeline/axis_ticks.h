#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace snapviewer {

/// A mark on an axis and the text beside it. Texts of one axis are all different.
struct AxisTick {
    double value = 0;
    std::string label;
};

/// Marks at round numbers of binary bytes (powers of two times 1, 2, 4 ... of a unit) within [begin, end], about one per
/// `spacing_px` of `length_px`, with as many decimals as keep the labels apart.
std::vector<AxisTick> memory_ticks(double begin, double end, double length_px, double spacing_px);

/// Marks at round numbers of steps (1, 2, 5 x 10^n).
std::vector<AxisTick> step_ticks(double begin, double end, double length_px, double spacing_px);

/// Marks at round times since the left edge; begin and end in microseconds.
std::vector<AxisTick> time_ticks(double begin, double end, double length_px, double spacing_px);

/// Marks at round times of day (UTC): "23:57:04.125". `start_us` is the wall clock of 0, microseconds since the Unix epoch.
std::vector<AxisTick> clock_ticks(double begin, double end, std::int64_t start_us, double length_px, double spacing_px);

}  // namespace snapviewer
