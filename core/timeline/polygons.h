#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Computes the polygons of all allocations of a timeline. read() takes time in proportion to the polygon's points, whereas
/// Timeline::path() looks at every free during the allocation's life, including frees of allocations above it.
///
/// The constructor takes O(allocations) and some 8 bytes for each free. Immutable and thread-safe. Keeps a reference to the
/// timeline.
class AllPaths {
public:
    explicit AllPaths(const Timeline& timeline);

    /// Replaces `points` with the result of Timeline::path(id). Reuses the memory of `points` between calls.
    void read(AllocationId id, std::vector<PathPoint>& points) const;

private:
    std::size_t next_freed_below(std::size_t at, std::uint32_t id) const;

    const Timeline& timeline_;
    std::vector<std::uint32_t> free_ticks_;
    /// A tree of minima. Level 0 has the freed allocations' ids in the order of the frees. Each entry of a higher level is
    /// the minimum of k_group_size entries of the level below; the highest level has at most k_group_size entries.
    std::vector<std::vector<std::uint32_t>> min_freed_;
    std::vector<std::uint64_t> initial_low_bytes_;  ///< lower edges at the left edge of the allocations from before the
                                                    ///< recording, by id
};

/// True if a file's polygons are those of a stack: allocations lie on one another without gaps, and slide down when one
/// below them ends, at the steps that the file contains. This is the picture of any recording of events. Such polygons need
/// not be kept, because they can be computed and drawn from an index at any size. Most files that SnapViewer writes are like
/// this.
///
/// The polygons must be equal to the last point. O(path points). Throws stopped().
bool are_stacked(const DeviceTrace& trace);

}  // namespace snapviewer
