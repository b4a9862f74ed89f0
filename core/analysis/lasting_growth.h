#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace snapviewer {

inline constexpr std::size_t k_windows = 8;

/// The minimum of the held bytes in each eighth of a period, with the middle position of each eighth.
struct WindowFloors {
    std::array<std::uint64_t, k_windows> bytes = {};
    std::array<double, k_windows> place = {};
};

/// The median slope over all pairs of windows, in bytes per unit of `place`. nullopt unless the growth is lasting: at least
/// 90 % of the pairs rise, the total growth is at least 8 MiB, and it is at least four times the median distance of a window
/// from the line. Short-lived memory of a step does not affect the minima, so the caller need not know the steps.
std::optional<double> lasting_slope(const WindowFloors& floors);

/// The median slope over all pairs of windows, whether or not the growth is lasting.
double middle_slope(const WindowFloors& floors);

/// The median: the middle value, or the mean of the two middle values. Precondition: `values` is not empty.
double middle_number(std::vector<double> values);

}  // namespace snapviewer
