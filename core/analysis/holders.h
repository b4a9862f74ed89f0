#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// What one line of the program holds.
struct SourceBytes {
    std::string source;  ///< "forward@model.py:17"
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;  ///< of allocations
};

/// The lines that hold most after a tick, largest first. What was allocated before the recording, without a stack, is not
/// among them. O(live).
std::vector<SourceBytes> largest_sources(const Timeline& timeline, const StackLines& lines, std::uint32_t tick,
                                         std::size_t count);

}  // namespace snapviewer
