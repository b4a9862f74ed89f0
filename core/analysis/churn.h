#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/steps.h"
#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// Churn: short-lived allocations, between whose allocation and free at most one other allocation is made.
struct Churn {
    struct Row {
        std::uint64_t stack_key = 0;
        StackId stack = StackId::none();  ///< One of the stacks with the key `stack_key`
        std::string source;
        std::uint64_t bytes = 0;
        std::uint64_t count = 0;
        std::uint64_t largest_bytes = 0;
        std::uint64_t bytes_per_step = 0;
        double count_per_step = 0;  ///< Average count per step, rounded to two decimals
    };
    std::vector<Row> by_stack;              ///< Sums by stack, most bytes first
    std::vector<AllocationId> allocations;  ///< All short-lived allocations in the searched part
    std::uint64_t bytes = 0;                ///< Bytes of all short-lived allocations
    std::uint64_t count = 0;
    std::uint64_t of_bytes = 0;  ///< Bytes of everything allocated in the searched part
    std::uint64_t of_count = 0;
    std::size_t steps = 0;  ///< Number of consecutive complete steps that were searched; 0 if the whole recording was
};

/// Finds short-lived allocations in the longest run of complete steps, or in the whole recording if it has no steps.
/// O(allocations).
Churn find_churn(const Timeline& timeline, const StackLines& lines, const Steps& steps);

}  // namespace snapviewer
