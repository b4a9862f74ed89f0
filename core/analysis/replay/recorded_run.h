#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/replay/allocator_model.h"
#include "core/analysis/replay/allocator_settings.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The unit of the mapped memory of expandable segments.
inline constexpr std::uint64_t k_page_bytes = k_small_segment_bytes;

/// Contradictions between a recording and the model, with their number.
using ReplayProblems = std::map<std::string, std::uint64_t>;

/// The one that says nothing against a recording that begins with empty memory.
inline constexpr const char* k_never_freed = "alloc of a block that is neither freed later nor live at the end";

/// A native segment, or the pages of one reservation, as it was before the first event.
struct StartRegion {
    std::uint64_t base = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t stream = 0;
    bool is_small = false;
    PoolId pool;
    std::uint64_t page = 0;            ///< 0: native
    std::vector<std::uint64_t> pages;  ///< mapped ones of 2 MiB, rising

    bool is_native() const { return page == 0; }
    std::uint64_t end() const { return base + size_bytes; }
};

/// A block that was live before the first event.
struct StartBlock {
    std::uint64_t asked_bytes = 0;
    std::uint64_t stream = 0;
    std::uint64_t size_bytes = 0;
    bool is_pending = false;
    bool is_guess = false;  ///< where it ended is not known
};

/// An event at which the program turned expandable segments on or off. The first one also shows the setting at the
/// beginning.
struct ExpandableSwitch {
    std::uint32_t event = 0;  ///< the first request that was made with it, as far as the recording shows
    bool is_on = false;
    std::uint32_t not_before = 0;  ///< behind the last request that shows the opposite
};

/// The allocator's state before the first event, worked out backwards from the segments at the end.
struct ReplayStart {
    std::vector<StartRegion> regions;                   ///< by base, without overlap
    std::map<std::uint64_t, StartBlock> live;           ///< by address
    std::map<std::uint64_t, std::uint64_t> final_live;  ///< address -> size of the blocks at the end
    /// Addresses of later reservations, by pool, class and stream, in the order of AddressSource::bases.
    std::map<std::tuple<PoolId, bool, std::uint64_t>, std::deque<std::uint64_t>> later_bases;
    std::vector<std::uint64_t> bounds;  ///< see AddressSource
    std::uint64_t reserved_bytes = 0;
    ReplayProblems problems;
    std::vector<ExpandableSwitch> switches;  ///< empty where the program never did
    std::set<PoolId> native_pools;           ///< see AllocatorModel
    std::set<PoolId> unsplit_pools;
};

enum class FlushCause : std::uint8_t { unknown, user, retry };

/// A run of segment_free and segment_unmap events: the cache was given back.
struct RecordedFlush {
    std::uint32_t first = 0;  ///< event
    std::uint32_t end = 0;
    FlushCause cause = FlushCause::unknown;  ///< user: empty_cache is in the stack; retry: the card was full
    bool is_inferred = false;                ///< there are no stacks; a replay of the recorded settings decided
    bool is_of_all = false;                  ///< the program emptied the whole cache, not one pool
};

inline constexpr std::uint32_t k_no_event = UINT32_MAX;

/// One device's recording, prepared to be replayed.
struct RecordedRun {
    const Snapshot* snapshot = nullptr;
    const DeviceTrace* trace = nullptr;
    AllocatorSettings settings;
    ReplayStart start;
    std::vector<RecordedFlush> flushes;
    std::uint64_t top = 0;  ///< above every recorded address
    /// By event of growth: the event of the request that it was made for, or k_no_event.
    std::vector<std::uint32_t> owner;
    std::map<std::uint32_t, std::vector<DriverEvent>> wanted;  ///< by event of the request: the growth recorded for it
    std::uint64_t unowned = 0;                                 ///< growth events without a request
    std::map<std::uint32_t, std::uint32_t> late;  ///< frees completed because the card was full -> the request that waited
    /// Growth before a flush that was made for the same request: only a part of the pages could be mapped at first.
    std::set<std::uint32_t> early;
    std::map<std::uint32_t, PoolId> private_pool;  ///< of allocs and ooms in private pools
    std::vector<std::uint64_t> reserved_after;     ///< by event
    std::uint64_t recorded_peak = 0;
    std::vector<std::uint64_t> home;  ///< by event, of allocs: base of the segment it lies in; k_unlimited_bytes for none

    PoolId pool_of(std::uint32_t event) const {
        const auto found = private_pool.find(event);
        return found == private_pool.end() ? PoolId{} : found->second;
    }
    std::uint64_t stream_of(std::uint32_t event) const { return snapshot->streams[trace->events.stream[event]]; }
    std::int64_t event_id(std::uint32_t event) const { return first_event_id(*snapshot, *trace) + event; }  ///< events.id
    std::size_t event_count() const { return trace->events.size(); }
    Action action(std::uint32_t event) const { return trace->events.action[event]; }
    std::uint64_t size_bytes(std::uint32_t event) const { return trace->events.size_bytes[event]; }
    std::uint64_t address(std::uint32_t event) const { return trace->events.address[event]; }
};

/// Bounds of the bytes that the allocator can hold, from the recording.
struct CardBounds {
    std::uint64_t at_least = 0;
    std::optional<std::uint64_t> less_than;
    std::optional<std::uint64_t> exactly;
};
CardBounds card_bounds(const RecordedRun& run);

/// Reads a device's events and segments, which must outlive the result. Fails when stopped, and where addresses or sizes are
/// beyond anything that exists. O(events log events).
RecordedRun read_recorded_run(const Snapshot& snapshot, const DeviceTrace& trace);

// Its parts.
std::vector<std::uint32_t> owners_of_growth(const DeviceTrace& trace);
ReplayStart replay_start(const RecordedRun& run);

}  // namespace snapviewer
