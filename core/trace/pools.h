#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// The segments of one device by address, as they were when the snapshot was taken. Keeps a reference to the snapshot.
class SegmentIndex {
public:
    SegmentIndex(const Snapshot& snapshot, std::int32_t device);

    /// The one that holds an address, or null. O(log segments), less near the last one found; not for several threads.
    const Segment* find(std::uint64_t address);

private:
    std::vector<const Segment*> by_address_;
    const Segment* last_ = nullptr;
};

/// Gives every allocation that came without a pool the one of the segment at its address, as memory_viz does: what a pool
/// that is gone by the snapshot held stays without one. O(allocations log segments).
void find_pools(const Snapshot& snapshot, DeviceTrace& trace);

/// Whether a pool is one of a CUDA graph or a MemPool of the program's own.
bool is_private_pool(const Snapshot& snapshot, std::uint16_t pool);

/// Gives Snapshot::streams the numbers of memory_viz: 0 for the default stream, 1, 2, 3 ... for the others in order of first
/// appearance, the traces of all devices before the segments. O(events).
void number_streams(Snapshot& snapshot);

/// The number of a stream: what people call it; the raw handle is a pointer. Its index where streams were not numbered.
std::uint32_t stream_number(const Snapshot& snapshot, std::uint16_t stream);

}  // namespace snapviewer
