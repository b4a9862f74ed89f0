#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/analysis/growth.h"
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

/// A module whose memory grew over a whole recording in which there are no steps to go by.
struct LastingModule {
    std::uint32_t module = 0;                    ///< as of GrowingModule
    std::uint64_t from_bytes = 0, to_bytes = 0;  ///< the least of the first and of the last eighth of the events
    std::uint32_t from_edge = 0, to_edge = 0;    ///< events before which it held these
    std::vector<AllocationId> allocations;       ///< the first 20 made between these that are alive at the second
};

/// Judges what each module holds at the edges of `growth`, after its warm-up, as stacks are judged: the leaks and possible
/// ones, most grown first. Throws a Failure only when stopped. O(allocations + modules x steps).
std::vector<GrowingModule> find_growing_modules(const Timeline& timeline, const Modules& modules, const Growth& growth);

/// The modules that held more in each eighth of the events than before, by the rules of lasting_slope(), most grown first.
/// Throws a Failure only when stopped. O(allocations log allocations + modules).
std::vector<LastingModule> find_lasting_modules(const Timeline& timeline, const Modules& modules);

}  // namespace snapviewer
