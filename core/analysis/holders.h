#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// The bytes of one line of the program.
struct SourceBytes {
    std::string source;  ///< "forward@model.py:17"
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;  ///< of allocations
};

/// The lines that hold most after a tick, largest first. Leaves out allocations from before the recording without a stack.
/// O(live).
std::vector<SourceBytes> largest_sources(const Timeline& timeline, const StackLines& lines, std::uint32_t tick,
                                         std::size_t count);

}  // namespace snapviewer
