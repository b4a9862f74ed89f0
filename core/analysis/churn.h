#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/steps.h"
#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// Short-lived allocations: at most one other allocation is made before their free.
struct Churn {
    struct Row {
        std::uint64_t stack_key = 0;
        StackId stack = StackId::none();  ///< one of those with the key
        std::string source;
        std::uint64_t bytes = 0;
        std::uint64_t count = 0;
        std::uint64_t largest_bytes = 0;
        std::uint64_t bytes_per_step = 0;
        double count_per_step = 0;  ///< two decimals
    };
    std::vector<Row> by_stack;              ///< most bytes first
    std::vector<AllocationId> allocations;  ///< all that were freed almost at once
    std::uint64_t bytes = 0;                ///< of these
    std::uint64_t count = 0;
    std::uint64_t of_bytes = 0;  ///< of everything allocated in that time
    std::uint64_t of_count = 0;
    std::size_t steps = 0;  ///< the consecutive complete ones looked at; 0: the whole recording was
};

/// Searches the longest run of complete steps, or the whole recording if there are none. O(allocations).
Churn find_churn(const Timeline& timeline, const StackLines& lines, const Steps& steps);

}  // namespace snapviewer
