#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/base/hash.h"
#include "core/replay/allocator_model.h"
#include "core/replay/recorded_run.h"

namespace snapviewer::replay {

/// The state from which a replay starts.
enum class ReplayMode : std::uint8_t {
    carried,  ///< the recorded segments are kept
    rebuilt,  ///< the live blocks are allocated again, in the order of addresses
};
const char* replay_mode_name(ReplayMode mode);  ///< Identifier for JSON, such as "carried"

/// The options of one replay.
struct ReplayOptions {
    ReplayMode mode = ReplayMode::carried;
    AddressOrder order = AddressOrder::recorded;
    /// True to repeat every recorded flush, with the recorded settings and without a capacity. False to let the model decide
    /// about the flushes that a full card forced.
    bool is_faithful = false;
    std::uint32_t event_count = UINT32_MAX;  ///< Maximum number of events to replay, from the beginning of the recording
};

/// A request that could not be served.
struct ReplayOom {
    std::uint32_t event = 0;
    std::uint64_t requested_bytes = 0;
    std::uint64_t reserved_bytes = 0;
    std::uint64_t allocated_bytes = 0;
    std::uint64_t free_in_segments_bytes = 0;
    std::uint64_t largest_free_bytes = 0;
};

/// A request that failed in the recording, tried again in the replay.
struct RetriedOom {
    std::uint32_t event = 0;
    std::uint64_t requested_bytes = 0;
    /// Reserved bytes if the request is served; nullopt if it fails in the replay too
    std::optional<std::uint64_t> reserved_with_it_bytes;
};

/// The memory after an event. A replay records about 200 of these points.
struct FragmentationPoint {
    std::uint32_t event = 0;
    std::uint64_t reserved_bytes = 0;
    std::uint64_t allocated_bytes = 0;
    double fragmentation = 0;  ///< Result of AllocatorModel::fragmentation(), rounded to four decimals
};

/// The address and the segment of an allocation in the replay.
struct Placed {
    std::uint64_t address = k_unlimited_bytes;
    std::uint64_t segment = k_unlimited_bytes;
};

/// The figures of one replay.
struct ReplayFigures {
    /// False if the memory held at the start does not fit; the other results are then unknown
    bool start_fits = false;
    std::uint64_t start_reserved_bytes = 0;
    std::uint64_t peak_reserved_bytes = 0;
    std::optional<std::uint32_t> peak_event;  ///< Event that reached the peak; nullopt if the peak is at the start
    std::uint64_t peak_allocated_bytes = 0;
    std::uint64_t final_reserved_bytes = 0;
    std::uint64_t driver_allocs = 0;  ///< Number of driver allocations after the start
    std::uint64_t driver_frees = 0;
    std::uint64_t flushes = 0;
    std::optional<ReplayOom> oom;
    std::vector<RetriedOom> recorded_ooms;
    std::vector<FragmentationPoint> fragmentation;
    /// Reserved bytes after each request and free, indexed by event
    std::vector<std::optional<std::uint64_t>> reserved_after;

    /// True if the start and every request fit, including the requests that failed in the recording.
    bool fits() const;
};

/// The result of replaying a recording's requests with the model.
struct ReplayResult : ReplayFigures {
    /// Driver calls of each request, by event of the request
    std::unordered_map<std::uint32_t, std::vector<DriverEvent>> predicted;
    /// Driver calls of each flush, by first event of the flush
    std::unordered_map<std::uint32_t, std::vector<DriverEvent>> flush_results;
    std::vector<Placed> placed;  ///< Position of each alloc, indexed by event
    ReplayProblems problems;
    /// Blocks that are live at the end, by recorded address
    std::unordered_map<std::uint64_t, BlockHandle, KeyedHash> blocks;
    std::unique_ptr<AllocatorModel> model;  ///< The model in its state at the end of the replay
};

/// Replays a recording with the model. A faithful replay also sets the unknown causes of flushes in `run`. Throws a Failure
/// only when stopped. O(events log blocks).
ReplayResult replay(RecordedRun& run, const AllocatorSettings& settings, const ReplayOptions& options);
/// Replays a recording whose flush causes are known, as they are after a faithful replay. Thread-safe.
ReplayResult replay(const RecordedRun& run, const AllocatorSettings& settings, const ReplayOptions& options);

}  // namespace snapviewer::replay
