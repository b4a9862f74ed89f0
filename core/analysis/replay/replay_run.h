#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/replay/allocator_model.h"
#include "core/analysis/replay/recorded_run.h"
#include "core/base/keyed_hash.h"

namespace snapviewer {

/// What a replay begins with.
enum class ReplayMode : std::uint8_t {
    carried,  ///< the recorded segments stay
    rebuilt,  ///< the live blocks are asked for anew, by address
};
const char* replay_mode_name(ReplayMode mode);  ///< "carried"

/// How one run is made.
struct ReplayOptions {
    ReplayMode mode = ReplayMode::carried;
    AddressOrder order = AddressOrder::recorded;
    /// The recorded settings without a card size: every recorded flush is repeated. Otherwise those that a full card forced
    /// are left to the model.
    bool is_faithful = false;
    std::uint32_t event_count = UINT32_MAX;  ///< of the recording, at most so many from its beginning
    bool checks_invariants = false;          ///< after each event; for tests
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

/// A request that failed in the recording, asked again.
struct RetriedOom {
    std::uint32_t event = 0;
    std::uint64_t requested_bytes = 0;
    std::optional<std::uint64_t> reserved_with_it_bytes;  ///< nothing where it fails here too
};

/// How the memory stood after an event; some two hundred of them over a run.
struct FragmentationPoint {
    std::uint32_t event = 0;
    std::uint64_t reserved_bytes = 0;
    std::uint64_t allocated_bytes = 0;
    double fragmentation = 0;  ///< four decimals
};

/// Where an allocation came to lie.
struct Placed {
    std::uint64_t address = k_unlimited_bytes;
    std::uint64_t segment = k_unlimited_bytes;
};

/// One run of a recording's requests through the model.
struct ReplayResult {
    bool start_fits = true;
    std::uint64_t start_reserved_bytes = 0;
    std::uint64_t driver_allocs = 0;  ///< after the start
    std::optional<ReplayOom> oom;
    std::vector<RetriedOom> recorded_ooms;
    std::unordered_map<std::uint32_t, std::vector<DriverEvent>> predicted;      ///< by event of the request
    std::unordered_map<std::uint32_t, std::vector<DriverEvent>> flush_results;  ///< by first event of the flush
    std::vector<std::optional<std::uint64_t>> reserved_after;                   ///< by event, of requests and frees
    std::vector<Placed> placed;                                                 ///< by event, of allocs
    std::vector<FragmentationPoint> fragmentation;
    std::optional<std::uint32_t> peak_event;  ///< nothing: at the start
    ReplayProblems problems;
    std::unordered_map<std::uint64_t, BlockHandle, KeyedHash> blocks;  ///< recorded address -> what is live at the end
    std::unique_ptr<AllocatorModel> model;
    std::string broken_invariant;  ///< see ReplayOptions

    bool fits() const;
};

/// Runs a recording through the model. A faithful run settles the cause of flushes that have no stacks, in `run`. Fails only
/// when stopped. O(events log blocks).
ReplayResult replay(RecordedRun& run, const AllocatorSettings& settings, const ReplayOptions& options);
/// The same where every cause is known, as it is after a faithful run; from any number of threads.
ReplayResult replay(const RecordedRun& run, const AllocatorSettings& settings, const ReplayOptions& options);

}  // namespace snapviewer
