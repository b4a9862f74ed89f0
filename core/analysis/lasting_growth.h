#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace snapviewer {

inline constexpr std::size_t k_windows = 8;

/// The least that is held in each eighth of a time, and where the middles of these are.
struct WindowFloors {
    std::array<std::uint64_t, k_windows> bytes = {};
    std::array<double, k_windows> place = {};
};

/// The middle of the slopes between any two windows, in bytes for a unit of `place`; none unless it is growth that lasts:
/// at least nine of ten pairs rise, all of it is at least 8 MiB, and four times as much as the windows usually are off the
/// line. What a step needs for a moment does not count, so no steps need be known.
std::optional<double> lasting_slope(const WindowFloors& floors);

/// The middle of the slopes between any two windows, whether it lasts or not.
double middle_slope(const WindowFloors& floors);

/// The middle one of some values, or the mean of the two in the middle. There is at least one.
double middle_number(std::vector<double> values);

}  // namespace snapviewer
