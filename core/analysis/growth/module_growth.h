#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/analysis/growth/growth.h"
#include "core/timeline/modules.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// A module whose memory grows from step to step.
struct GrowingModule {
    std::uint32_t module = 0;  ///< Index into Modules::nodes. Only the module's own memory counts, without its submodules.
    GrowthState state = GrowthState::leak;
    double slope = 0;  ///< Growth in bytes per step
    std::int64_t grown_bytes = 0;
    std::size_t rises = 0;
    std::size_t changes = 0;  ///< Number of pairs of consecutive edges that were compared, after the warm-up
    /// The first 20 allocations made after the warm-up that are still live after the last step
    std::vector<AllocationId> allocations;
};

/// A module whose memory grew over a whole recording that has no usable steps.
struct LastingModule {
    std::uint32_t module = 0;  ///< Index into Modules::nodes. Only the module's own memory counts, without its submodules.
    std::uint64_t from_bytes = 0, to_bytes = 0;  ///< Minimum bytes in the first and in the last eighth of the events
    /// Event before which the module held from_bytes, and event before which it held to_bytes
    std::uint32_t from_edge = 0, to_edge = 0;
    /// The first 20 allocations made between these two events that are still live at the second
    std::vector<AllocationId> allocations;
};

/// Finds modules that are leaks or possible leaks, sorted by growth, descending. Judges the bytes of each module at the
/// edges of `growth` after its warm-up, by the same rules as for stacks. Throws a Failure only when stopped. O(allocations +
/// modules x steps).
std::vector<GrowingModule> find_growing_modules(const Timeline& timeline, const Modules& modules, const Growth& growth);

/// Finds modules whose minimum memory grew lastingly over the eighths of the events, by the rules of lasting_slope(). Sorted
/// by growth, descending. Throws a Failure only when stopped. O(allocations log allocations + modules).
std::vector<LastingModule> find_lasting_modules(const Timeline& timeline, const Modules& modules);

}  // namespace snapviewer
