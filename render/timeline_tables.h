#pragma once

#include <cstdint>
#include <span>

#include "core/mesh/mesh.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The tables of a timeline that the GPU needs besides index and mesh.
struct TimelineTables {
    std::span<const std::uint64_t> steps;        ///< step of each tick; never decreases
    std::span<const std::int64_t> times_us;      ///< time of each tick since the left edge; empty if the file has no times
    std::span<const std::uint64_t> sizes_bytes;  ///< size of each allocation

    TimelineTables() = default;
    TimelineTables(std::span<const std::uint64_t> tick_steps, std::span<const std::int64_t> tick_times_us,
                   std::span<const std::uint64_t> allocation_sizes_bytes)
        : steps(tick_steps), times_us(tick_times_us), sizes_bytes(allocation_sizes_bytes) {}
    /// Uses the ticks of the mesh if it has its own, which have no times; otherwise the ticks of the timeline.
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
