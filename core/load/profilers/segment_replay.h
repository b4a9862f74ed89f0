#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Which segments a device has, from what it had at the start and its events: for recordings that do not list them at the
/// end. Expandable segments that touch are one, as in a snapshot. O(log segments) an event.
class SegmentReplay {
public:
    /// `segment`: the address, size, stream and stack of a segment event; others change nothing.
    void take(Action action, Segment segment);
    /// Those that are left, by address, each with the blocks that lie in it and idle ones between them: into the snapshot.
    /// `live` are in use and have any order. Returns how many of them lie in no segment or in one another.
    std::uint64_t write(std::vector<Block> live, Snapshot& snapshot) const;

private:
    void map(const Segment& segment);
    void unmap(std::uint64_t begin, std::uint64_t end);

    std::map<std::uint64_t, Segment> by_address_;
};

}  // namespace snapviewer
