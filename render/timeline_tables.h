#pragma once

#include <cstdint>
#include <span>

#include "core/mesh/mesh.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// What of a timeline the GPU is sent beside its mesh.
struct TimelineTables {
    std::span<const std::uint64_t> steps;        ///< place of each tick on the step axis; never falls
    std::span<const std::int64_t> times_us;      ///< likewise, since the left edge; empty when the file has no times
    std::span<const std::uint64_t> sizes_bytes;  ///< per allocation

    TimelineTables() = default;
    TimelineTables(std::span<const std::uint64_t> tick_steps, std::span<const std::int64_t> tick_times_us,
                   std::span<const std::uint64_t> allocation_sizes_bytes)
        : steps(tick_steps), times_us(tick_times_us), sizes_bytes(allocation_sizes_bytes) {}
    /// The ticks of the mesh where it has some of its own; it has no times then.
    TimelineTables(const Timeline& timeline, const Mesh& mesh)
        : steps(timeline.tick_steps()),
          times_us(timeline.tick_times_us()),
          sizes_bytes(timeline.trace().allocations.size_bytes) {
        if (mesh.triangles.own_tick_steps.empty()) return;
        steps = mesh.triangles.own_tick_steps;
        times_us = {};
    }
};

}  // namespace snapviewer
