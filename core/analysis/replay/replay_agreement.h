#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/replay/recorded_run.h"
#include "core/analysis/replay/replay_run.h"

namespace snapviewer {

/// How many of what was recorded and of what the model did are equal.
struct EventMatch {
    std::uint64_t recorded = 0;
    std::uint64_t predicted = 0;
    std::uint64_t equal = 0;
    std::uint64_t same_address = 0;
};

/// Where the card was full in the recording: whether a card of that size makes the model flush and fail there, too.
struct CardCheck {
    std::uint64_t capacity_bytes = 0;
    bool start_fits = false;
    std::uint64_t flushes = 0, flushes_made = 0, flushes_equal = 0;
    std::uint64_t ooms = 0, ooms_made = 0, ooms_equal = 0;
    EventMatch growth;
    bool is_reproduced() const;
};

/// The first request that goes otherwise in the replay.
struct ReplayDifference {
    std::uint32_t event = 0;
    std::uint64_t requested_bytes = 0;
    bool grew_in_recording = false;  ///< the driver gave memory for it; else a block of the cache served it
    bool grew_in_replay = false;
};

/// How well the model repeats a recording under the recorded settings, and so whether its answers may be trusted.
struct ReplayAgreement {
    std::uint64_t requests = 0;
    EventMatch growth;
    EventMatch frees;
    double event_agreement = 1;  ///< segment events reproduced, of those recorded or predicted
    std::uint64_t placed = 0;    ///< allocations at the recorded address
    double placed_share = 1;
    double in_segment_share = 1;
    std::uint64_t curve_max_bytes = 0;  ///< largest difference of reserved memory
    double curve_mean_bytes = 0;
    double curve_max_share = 0;  ///< of the recorded peak
    std::uint64_t peak_replayed_bytes = 0;
    std::uint64_t final_recorded_bytes = 0;
    std::uint64_t final_replayed_bytes = 0;
    std::uint64_t end_blocks = 0;
    std::uint64_t end_blocks_same = 0;
    ReplayProblems problems;
    std::uint64_t lost = 0;  ///< contradictions: events that are missing
    std::optional<CardCheck> card;
    std::vector<std::string> reasons;  ///< why nothing may be asked; empty where it may
    std::vector<std::string> untold;   ///< what the model would have to know for that, and the file does not tell
    std::optional<ReplayDifference> first_difference;

    bool is_usable() const { return reasons.empty(); }
};

/// Replays the recorded settings and compares with what was recorded. Settles the causes of flushes in `run`. Fails only
/// when stopped. Two replays.
ReplayAgreement measure_agreement(RecordedRun& run);

}  // namespace snapviewer
