#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/replay/allocator_model.h"
#include "core/trace/segments.h"

namespace snapviewer::replay {

/// The smallest unit of mapped memory in expandable segments, in bytes.
inline constexpr std::uint64_t k_page_bytes = k_small_segment_bytes;

/// Number of contradictions between a recording and the model, by description.
using ReplayProblems = std::map<std::string, std::uint64_t>;

/// Name of a contradiction that is harmless if the recording begins with empty memory.
inline constexpr const char* k_never_freed = "alloc of a block that is neither freed later nor live at the end";

/// A native segment, or the pages of one reservation, in the state before the first event.
struct StartRegion {
    std::uint64_t base = 0;
    std::uint64_t size_bytes = 0;
    RequestClass requests;                  ///< Requests that the region serves
    std::uint64_t page = 0;                 ///< Page size in bytes; 0 for a native segment
    std::vector<std::uint64_t> pages = {};  ///< Addresses of the mapped pages of 2 MiB, ascending

    bool is_native() const { return page == 0; }
    std::uint64_t end() const { return base + size_bytes; }
};

/// A block that was live before the first event.
struct StartBlock {
    std::uint64_t asked_bytes = 0;
    std::uint64_t size_bytes = 0;  ///< Size of the block; 0 while it is unknown
    bool is_pending = false;
    bool is_guess = false;  ///< True if the end of the block is unknown and its size is a guess
};

/// An event at which the program turned expandable segments on or off. The first element of a list describes the setting at
/// the beginning.
struct ExpandableSwitch {
    std::uint32_t event = 0;  ///< First request that was made with the new setting, as far as the recording shows
    bool is_on = false;
    std::uint32_t earliest_event = 0;  ///< First event after the last request that shows the opposite setting
};

/// The allocator's state before the first event, computed backwards from the segments at the end of the recording.
struct ReplayStart {
    std::vector<StartRegion> regions;                   ///< Segments and reservations by base address, without overlap
    std::map<std::uint64_t, StartBlock> live;           ///< Live blocks by address
    std::map<std::uint64_t, std::uint64_t> final_live;  ///< Sizes of the blocks that are live at the end, by address
    AddressSource::Bases later_bases;                   ///< Base addresses of reservations that appear after the first event
    std::vector<std::uint64_t> bounds;                  ///< Begin of every recorded segment and reservation, ascending
    std::uint64_t reserved_bytes = 0;
    ReplayProblems problems;
    /// Switches of the setting expandable_segments; empty if the program never changed it
    std::vector<ExpandableSwitch> switches;
    std::set<PoolId> native_pools;  ///< Pools for AllocatorModel::native_pools
    std::set<PoolId> unsplit_pools;
};

enum class FlushCause : std::uint8_t { unknown, user, retry };

/// A run of segment_free and segment_unmap events, in which the allocator returned cached memory to the driver.
struct RecordedFlush {
    std::uint32_t first = 0;  ///< First event of the run
    std::uint32_t end = 0;
    FlushCause cause = FlushCause::unknown;  ///< `user` if empty_cache() is in the stack; `retry` if the card was full
    /// True if the flush has no stacks, so that a replay of the recorded settings decided the cause
    bool is_inferred = false;
    bool empties_all_pools = false;  ///< True if the program emptied the whole cache instead of one pool
};

inline constexpr std::uint32_t k_no_event = UINT32_MAX;

/// The recording of one device, prepared for a replay. Keeps pointers to the snapshot and the trace.
struct RecordedRun {
    const Snapshot* snapshot = nullptr;
    const DeviceTrace* trace = nullptr;
    AllocatorSettings settings;
    ReplayStart start;
    std::vector<RecordedFlush> flushes;
    std::uint64_t top = 0;  ///< An address above every recorded address
    /// The event of the request for which memory grew, indexed by event of growth; k_no_event if there is none.
    std::vector<std::uint32_t> owner;
    std::map<std::uint32_t, std::vector<DriverEvent>> wanted;  ///< Recorded growth for each request, by event of the request
    std::uint64_t unowned = 0;                                 ///< Number of growth events without a request
    /// Events of the frees that completed only because the card was full, and for each the event of the request that waited
    /// for it.
    std::map<std::uint32_t, std::uint32_t> late;
    /// Growth events before a flush that was made for the same request. At first only a part of the pages could be mapped.
    std::set<std::uint32_t> early;
    std::map<std::uint32_t, PoolId> private_pool;  ///< Private pool of each alloc and oom event that uses one, by event
    std::vector<std::uint64_t> reserved_after;     ///< Reserved bytes after each event
    std::uint64_t recorded_peak = 0;
    /// Base of the segment that contains each alloc, indexed by event; k_unlimited_bytes if there is none
    std::vector<std::uint64_t> home;

    /// The private pool of an alloc or oom event, from the event or from the segment at its address.
    PoolId pool_of(std::uint32_t event) const {
        const auto found = private_pool.find(event);
        return found == private_pool.end() ? PoolId{} : found->second;
    }
    /// The pool that an event names; the default pool if it names none.
    PoolId named_pool(std::uint32_t event) const { return pool_id(*snapshot, trace->events.pool[event]); }
    /// The request for which a flush was made that ends at `end`, if memory grew or a request failed there; else k_no_event.
    std::uint32_t request_after(std::uint32_t end) const {
        if (end >= event_count()) return k_no_event;
        return action(end) == Action::oom ? end : owner[end];
    }
    std::uint64_t stream_of(std::uint32_t event) const { return snapshot->streams[trace->events.stream[event]]; }
    /// SQL id of an event, as in events.id
    std::int64_t event_id(std::uint32_t event) const { return first_event_id(*snapshot, *trace) + event; }
    std::size_t event_count() const { return trace->events.size(); }
    Action action(std::uint32_t event) const { return trace->events.action[event]; }
    std::uint64_t size_bytes(std::uint32_t event) const { return trace->events.size_bytes[event]; }
    std::uint64_t address(std::uint32_t event) const { return trace->events.address[event]; }
};

/// Bounds of the memory that the allocator can reserve on the card in bytes, from the recording.
struct CardBounds {
    std::uint64_t at_least = 0;
    std::optional<std::uint64_t> less_than;
    std::optional<std::uint64_t> exactly;
};
CardBounds card_bounds(const RecordedRun& run);

/// Prepares a device's events and segments for a replay. The arguments must outlive the result. Throws a Failure when
/// stopped, or if addresses or sizes are larger than on any real device. O(events log events).
RecordedRun read_recorded_run(const Snapshot& snapshot, const DeviceTrace& trace);

/// Computes RecordedRun::start, a step of read_recorded_run() that needs `settings` and `owner`.
ReplayStart replay_start(const RecordedRun& run);

}  // namespace snapviewer::replay
