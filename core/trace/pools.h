#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// The segments of one device by address, at the time of the snapshot. Keeps a reference to the snapshot. Not thread-safe.
class SegmentIndex {
public:
    SegmentIndex(const Snapshot& snapshot, std::int32_t device);

    /// The segment that contains an address, or null. O(log segments), or O(1) if it is the segment found last.
    const Segment* find(std::uint64_t address);

private:
    std::vector<const Segment*> by_address_;
    const Segment* last_ = nullptr;
};

/// Sets the pool of each allocation without one to the pool of the segment at its address, as memory_viz does. Allocations
/// whose segment was freed before the snapshot keep no pool. O(allocations log segments).
void find_pools(const Snapshot& snapshot, DeviceTrace& trace);

/// True if a pool belongs to a CUDA graph or is a MemPool that the user's program created.
bool is_private_pool(const Snapshot& snapshot, std::uint16_t pool);

/// Numbers Snapshot::streams like memory_viz: 0 for the default stream, then 1, 2, 3 ... in order of first appearance, first
/// in the traces of all devices, then in the segments. O(events).
void number_streams(Snapshot& snapshot);

/// The number of a stream for users; the raw handle is a pointer. Returns the index of the stream if streams were not
/// numbered.
std::uint32_t stream_number(const Snapshot& snapshot, std::uint16_t stream);

}  // namespace snapviewer
