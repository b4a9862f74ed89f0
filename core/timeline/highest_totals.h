#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// Divides a recording into `parts` parts of equal length along an axis, and returns the largest total within each, from
/// left to right. No spike is lost. O(ticks).
std::vector<std::uint64_t> highest_totals(const Timeline& timeline, Axis axis, std::size_t parts);

}  // namespace snapviewer
