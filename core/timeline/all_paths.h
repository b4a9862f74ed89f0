#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// The polygons of a timeline, for who wants all of them: each takes as long as it has points, where Timeline::path looks at
/// every free of its life, also at those of what lies above.
///
/// Built in O(allocations), with some 8 bytes for each free. Immutable; safe to read from many threads. Refers to the
/// timeline.
class AllPaths {
public:
    explicit AllPaths(const Timeline& timeline);

    /// What timeline.path(id) gives, in `points`, whose memory is kept from one to the next.
    void read(AllocationId id, std::vector<PathPoint>& points) const;

private:
    std::size_t next_freed_below(std::size_t at, std::uint32_t id) const;

    const Timeline& timeline_;
    std::vector<std::uint32_t> free_ticks_;
    /// First the allocations in the order in which they were freed, then the least of each stretch of them, of stretches of
    /// stretches, and so on, until one stretch holds all.
    std::vector<std::vector<std::uint32_t>> least_freed_;
    std::vector<std::uint64_t> initial_low_bytes_;  ///< of the allocations that were there before the recording
};

}  // namespace snapviewer
