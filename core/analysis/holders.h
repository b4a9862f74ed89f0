#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// The memory that one source line of the program holds.
struct SourceBytes {
    std::string source;  ///< Function, file and line: "forward@model.py:17"
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;  ///< Number of allocations
};

/// Returns the source lines that hold the most memory after a tick, largest first, at most `count`. Leaves out allocations
/// from before the recording that have no stack. O(live).
std::vector<SourceBytes> largest_sources(const Timeline& timeline, const StackLines& lines, std::uint32_t tick,
                                         std::size_t count);

}  // namespace snapviewer
