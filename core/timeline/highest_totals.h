#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// The largest total within each of so many equal parts of a recording, from left to right: no spike is lost. O(ticks).
std::vector<std::uint64_t> highest_totals(const Timeline& timeline, Axis axis, std::size_t parts);

}  // namespace snapviewer
