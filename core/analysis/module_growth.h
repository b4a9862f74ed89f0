#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/analysis/growth.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/timeline/modules.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// A module that holds more and more.
struct GrowingModule {
    std::uint32_t module = 0;  ///< into Modules::nodes; what is in it, without the modules within it
    GrowthState state = GrowthState::leak;
    double slope = 0;  ///< bytes a step
    std::int64_t grown_bytes = 0;
    std::size_t rises = 0;
    std::size_t changes = 0;                ///< steps that were judged
    std::vector<AllocationId> allocations;  ///< the first 20 made in these that are alive after the last
};

/// Judges what each module holds at the edges of `growth`, after its warm-up, as stacks are judged: the leaks and possible
/// ones, most grown first. Fails only when stopped. O(allocations + modules x steps).
Result<std::vector<GrowingModule>> find_growing_modules(const Timeline& timeline, const Modules& modules,
                                                        const Growth& growth, const Progress* progress = nullptr);

}  // namespace snapviewer
