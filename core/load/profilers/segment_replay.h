#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Computes the segments of a device at the end of a recording from those at its start and the segment events, for
/// recordings that do not list them. Adjacent expandable segments are merged, as in a snapshot. O(log segments) per event.
class SegmentReplay {
public:
    /// Applies one event. `segment` contains the address, size, stream and stack of a segment event. Other events have no
    /// effect.
    void take(Action action, Segment segment);
    /// Writes the remaining segments into the snapshot, sorted by address, each with the blocks inside it and with inactive
    /// blocks for the gaps. `live` contains the blocks in use, in any order. Returns how many of them lie outside all
    /// segments or overlap another block.
    std::uint64_t write(std::vector<Block> live, Snapshot& snapshot) const;

private:
    void map(const Segment& segment);
    void unmap(std::uint64_t begin, std::uint64_t end);

    std::map<std::uint64_t, Segment> by_address_;
};

}  // namespace snapviewer
