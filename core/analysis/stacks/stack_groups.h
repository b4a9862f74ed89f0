#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/steps/steps.h"
#include "core/timeline/timeline.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::stacks {

/// The stack of the alloc. StackId::none() if only the free was recorded.
StackId allocating_stack(const DeviceTrace& trace, AllocationId id);

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
Churn find_churn(const Timeline& timeline, const StackLines& lines, const steps::Steps& steps);

}  // namespace snapviewer::stacks
