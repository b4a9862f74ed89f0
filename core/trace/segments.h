#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/trace/segment_map.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The segments of one device by address, at the time of the snapshot. Keeps a reference to the snapshot. Not thread-safe.
class SegmentIndex {
public:
    SegmentIndex(const Snapshot& snapshot, std::int32_t device);

    /// The segment that contains an address, or null. O(log segments), or O(1) if it is the segment found last.
    const Segment* find(std::uint64_t address);
    const std::vector<const Segment*>& by_address() const { return by_address_; }

private:
    std::vector<const Segment*> by_address_;
    const Segment* last_ = nullptr;
};

/// Sets the pool of each allocation without one to the pool of the segment at its address, as memory_viz does. Allocations
/// whose segment was freed before the snapshot keep no pool. O(allocations log segments).
void find_pools(const Snapshot& snapshot, DeviceTrace& trace);

/// The id of a pool, an index into Snapshot::pools; the default pool's for k_no_pool.
inline PoolId pool_id(const Snapshot& snapshot, std::uint16_t pool) {
    return pool == k_no_pool ? PoolId{} : snapshot.pools[pool];
}

/// True if a pool belongs to a CUDA graph or is a MemPool that the user's program created.
inline bool is_private_pool(const Snapshot& snapshot, std::uint16_t pool) { return pool_id(snapshot, pool) != PoolId{}; }

/// Numbers Snapshot::streams like memory_viz: 0 for the default stream, then 1, 2, 3 ... in order of first appearance, first
/// in the traces of all devices, then in the segments. O(events).
void number_streams(Snapshot& snapshot);

/// The number of a stream for users; the raw handle is a pointer. Returns the index of the stream if streams were not
/// numbered.
std::uint32_t stream_number(const Snapshot& snapshot, std::uint16_t stream);

/// The bytes that a device had reserved from the driver, over its events.
struct ReservedHistory {
    std::uint64_t bytes_at_start = 0;
    std::vector<std::uint32_t> events;       ///< events that changed the reserved bytes
    std::vector<std::uint64_t> bytes_after;  ///< parallel to events

    /// The reserved bytes after the first `event_count` events.
    std::uint64_t after_events(std::uint32_t event_count) const;
};

/// The total size of the device's segments at the time of the snapshot; nullopt if the file lists none. O(segments).
std::optional<std::uint64_t> reserved_at_end(const Snapshot& snapshot, const DeviceTrace& trace);

/// Computes the history backwards: from the segments at the end, undoing the segment events. nullopt unless reserved memory
/// is known throughout, or if an event reserved more than the total at that time. O(events).
std::optional<ReservedHistory> reserved_history(const Snapshot& snapshot, const DeviceTrace& trace);

/// The address ranges that a device had reserved while its segment events are undone and applied one by one. The initial
/// state is that at the end of the recording, from the file's segments. An event that contradicts the state changes nothing
/// and sets contradicts(). Keeps a reference to the trace.
class ReservedRanges {
public:
    struct Use {
        bool is_expandable = false;     ///< adjacent expandable ranges are joined; other segments are not
        std::uint64_t open_blocks = 0;  ///< number of live blocks in the range; maintained by the caller

        bool join(const Use& next) {
            if (!is_expandable || !next.is_expandable) return false;
            open_blocks += next.open_blocks;
            return true;
        }
    };

    ReservedRanges(const Snapshot& snapshot, const DeviceTrace& trace);

    /// Events that are not about segments have no effect.
    void undo(std::size_t event) { change(event, false); }
    void apply(std::size_t event) { change(event, true); }
    bool contradicts() const { return contradicts_; }
    SegmentMap<Use>& map() { return map_; }

private:
    void change(std::size_t event, bool is_applied);
    bool add(AddressSpan span, bool is_expandable);
    bool cut(AddressSpan span);

    const EventColumns& events_;
    SegmentMap<Use> map_;
    bool contradicts_ = false;
};

}  // namespace snapviewer
