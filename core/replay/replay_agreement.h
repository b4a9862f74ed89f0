#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/replay/recorded_run.h"
#include "core/replay/replay_run.h"

namespace snapviewer {

/// How many recorded and predicted driver events there are, and how many of them are equal.
struct EventMatch {
    std::uint64_t recorded = 0;
    std::uint64_t predicted = 0;
    std::uint64_t equal = 0;
    std::uint64_t same_address = 0;
};

/// For a recording in which the card was full: whether a replay with a card of that size flushes and fails at the same
/// events.
struct CardCheck {
    std::uint64_t capacity_bytes = 0;
    bool start_fits = false;
    std::uint64_t flushes = 0, flushes_made = 0, flushes_equal = 0;
    std::uint64_t ooms = 0, ooms_made = 0, ooms_equal = 0;
    EventMatch growth;
    bool is_reproduced() const;
};

/// The first request that has another result in the replay.
struct ReplayDifference {
    std::uint32_t event = 0;
    std::uint64_t requested_bytes = 0;
    /// True if the driver provided memory for the request; false if a cached block served it
    bool grew_in_recording = false;
    bool grew_in_replay = false;
};

/// How well the model reproduces a recording under the recorded settings. It decides whether answers about other settings
/// can be trusted.
struct ReplayAgreement {
    std::uint64_t requests = 0;
    EventMatch growth;
    EventMatch frees;
    double event_agreement = 1;  ///< Reproduced share of all segment events that were recorded or predicted, from 0 to 1
    std::uint64_t placed = 0;    ///< Number of allocations at the recorded address
    double placed_share = 1;
    double in_segment_share = 1;
    std::uint64_t curve_max_bytes = 0;  ///< Largest difference between recorded and replayed reserved memory
    double curve_mean_bytes = 0;
    double curve_max_share = 0;  ///< Largest difference as a share of the recorded peak
    std::uint64_t peak_replayed_bytes = 0;
    std::uint64_t final_recorded_bytes = 0;
    std::uint64_t final_replayed_bytes = 0;
    std::uint64_t end_blocks = 0;
    std::uint64_t end_blocks_same = 0;
    ReplayProblems problems;
    std::uint64_t lost = 0;  ///< Number of contradictions that show missing events
    std::optional<CardCheck> card;
    std::vector<std::string> reasons;  ///< Reasons why other settings cannot be tried; empty if they can
    /// Facts that the model would need and the file lacks; empty if other settings can be tried
    std::vector<std::string> missing_facts;
    std::optional<ReplayDifference> first_difference;

    bool is_usable() const { return reasons.empty(); }
};

/// Replays the recorded settings and compares the result with the recording. Also sets the unknown causes of flushes in
/// `run`. Throws a Failure only when stopped. Takes as long as two replays.
ReplayAgreement measure_agreement(RecordedRun& run);

}  // namespace snapviewer
