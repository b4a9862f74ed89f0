#pragma once

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/oom/oom.h"
#include "core/analysis/space/address_space.h"
#include "core/replay/recorded_run.h"
#include "core/replay/replay_run.h"

namespace snapviewer::replay {

/// How many recorded and predicted driver events there are, and how many of them are equal.
struct EventMatch {
    std::uint64_t recorded = 0;
    std::uint64_t predicted = 0;
    std::uint64_t equal = 0;
    std::uint64_t same_address = 0;
};

/// Compares a recording in which the card was full with a replay on a card of the same size: whether the replay flushes and
/// fails at the same events.
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

enum class WhatIfVerdict : std::uint8_t { no_card_size, fits, does_not_fit, undetermined };
const char* what_if_verdict_name(WhatIfVerdict verdict);   ///< Identifier for JSON, such as "cannot be told"
const char* what_if_verdict_words(WhatIfVerdict verdict);  ///< Text for users, such as "depends on the addresses"

/// The result of a replay under other settings, from one of the two starts.
struct WhatIfMode : ReplayFigures {
    std::vector<AllocatorModel::SegmentUse> segments_at_peak;
    /// Smallest and largest peak over the three orders of addresses for new segments, in bytes.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> peak_range;
};

/// The result of replaying the requests of a recording under other settings.
struct WhatIf {
    std::array<WhatIfMode, 2> modes;  ///< Result of each start, indexed by ReplayMode
    /// Peak of the reserved memory with the recorded settings, indexed by ReplayMode
    std::array<std::optional<std::uint64_t>, 2> peak_as_recorded_bytes;
    WhatIfVerdict verdict = WhatIfVerdict::no_card_size;
    /// True if the peak of ReplayMode::carried is only an upper bound, because the changed settings would have reserved less
    /// memory before the recording.
    bool carried_is_upper_bound = false;
};

/// Replays a recording under other settings. Runs six replays, two for the segments at the peaks and two with the recorded
/// settings, on as many threads as the machine has. Throws a Failure only when stopped.
WhatIf what_if(const RecordedRun& run, const AllocatorSettings& settings);

/// The smallest capacity with which a replay fits, in bytes, rounded up to 2 MiB. Takes about twenty replays. Throws a
/// Failure only when stopped.
std::uint64_t smallest_capacity(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode);

/// The changes that the user asks about, for one device.
struct ReplayQuestion {
    std::vector<std::pair<std::string, std::string>> settings;  ///< Pairs of name and value for change_setting()
    bool find_smallest = false;
    bool try_usual = false;  ///< True to also try common settings, each by itself in addition to `settings`
};

/// The result of trying one setting by itself.
struct TriedSetting {
    std::string name;
    std::string value;
    WhatIf answer;
    /// Change of the peak relative to the recorded settings in bytes, indexed by ReplayMode; nullopt if a start does not
    /// fit.
    std::array<std::optional<std::int64_t>, 2> change_bytes;
};

/// Common changes of single settings. Excludes changes without effect on `settings`.
std::vector<std::pair<std::string, std::string>> usual_settings(const AllocatorSettings& settings);
/// Replays with `base` and one changed setting. Throws a Failure with bad_query if that setting is invalid.
TriedSetting try_setting(const RecordedRun& run, const AllocatorSettings& base,
                         const std::pair<std::string, std::string>& setting);

/// The facts about a recording that do not depend on a question.
struct ReplayBasis {
    RecordedRun run;
    CardBounds card;
    ReplayAgreement agreement;
};

/// The answer to a question.
struct ReplayAnswer {
    AllocatorSettings settings;
    const char* capacity_from = "nothing";  ///< Source of the card's capacity: "given", "recording" or "nothing"
    std::vector<std::string> refused;       ///< Reasons why there is no answer; empty if there is one
    std::optional<WhatIf> answer;
    /// Smallest capacity that fits, indexed by ReplayMode; set only if the question asks for it
    std::array<std::optional<std::uint64_t>, 2> smallest_capacity_bytes;
    std::vector<TriedSetting> usual;  ///< Results of common settings; empty unless ReplayQuestion::try_usual is set
};

/// The contents of `snapviewer replay` for one device.
struct ReplayReport : ReplayBasis, ReplayAnswer {
    bool is_asked = false;  ///< False if the user asked no question, so that there is no answer
};

/// Replays the recorded settings and measures the agreement. The arguments must outlive the result, see read_recorded_run().
ReplayBasis replay_basis(const Snapshot& snapshot, const DeviceTrace& trace);
/// Answers a question. A question without changes is about the recorded settings on the recorded card. Throws a
/// Failure with bad_query if a setting is invalid.
ReplayAnswer ask_replay(const ReplayBasis& basis, const ReplayQuestion& question);

/// Combines replay_basis() and ask_replay(), with the errors and lifetimes of both.
ReplayReport replay_report(const Snapshot& snapshot, const DeviceTrace& trace, const ReplayQuestion& question);

/// Answers the question of `snapviewer replay --set expandable_segments=true`. Calls `is_over` every few milliseconds, from
/// several threads. If it returns true, the replay stops and the result has no answer. Throws a Failure only when stopped.
oom::ExpandableGain gain_of_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace,
                                                const std::function<bool()>& is_over);

/// The memory of a replay after `event_count` events of the recording, in the form of AddressSpace::at(). `recorded` is the
/// same moment of the recording and identifies the allocations of the blocks. The replay ends at a request that cannot be
/// served, after it has returned all possible memory to the driver. Empty if the start does not fit. Throws a Failure only
/// when stopped. Takes as long as a replay of these events.
space::AddressMoment replayed_moment(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode,
                                     std::uint32_t event_count, const space::AddressMoment& recorded);

/// The end of a sentence that begins with "carried is". Used if WhatIf::carried_is_upper_bound is true.
inline constexpr const char* k_only_an_upper_bound =
    "only an upper bound: with these settings less would have been reserved before the recording";

/// The report as `snapviewer replay --json` prints it. Amounts are in bytes; events have their SQL ids (events.id).
nlohmann::ordered_json replay_json(const ReplayReport& report, std::string_view file_name);

/// The reasons why a recording cannot be reproduced: the first request with a different result, and facts that the file
/// lacks. Whole lines of text.
std::string why_not_repeated(const ReplayBasis& basis);

/// The contents of the JSON report as whole lines of text.
std::string replay_text(const ReplayReport& report);

}  // namespace snapviewer::replay
