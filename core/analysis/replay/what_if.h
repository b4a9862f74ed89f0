#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/replay/replay_agreement.h"
#include "core/analysis/replay/replay_run.h"
#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

enum class WhatIfVerdict : std::uint8_t { no_card_size, fits, does_not_fit, cannot_be_told };
const char* what_if_verdict_name(WhatIfVerdict verdict);   ///< in JSON: "cannot be told"
const char* what_if_verdict_words(WhatIfVerdict verdict);  ///< for people: "depends on the addresses"

/// The result of a replay under other settings, from one of the two starts.
struct WhatIfMode {
    bool fits = false;
    bool start_fits = false;  ///< false: the memory held at the start does not fit, and nothing else is known
    std::uint64_t start_reserved_bytes = 0;
    std::uint64_t peak_reserved_bytes = 0;
    std::optional<std::uint32_t> peak_event;
    std::uint64_t peak_allocated_bytes = 0;
    std::uint64_t final_reserved_bytes = 0;
    std::uint64_t driver_allocs = 0;
    std::uint64_t driver_frees = 0;
    std::uint64_t flushes = 0;
    std::optional<ReplayOom> oom;
    std::vector<RetriedOom> recorded_ooms;
    std::vector<FragmentationPoint> fragmentation;
    std::vector<AllocatorModel::SegmentUse> segments_at_peak;
    std::vector<std::optional<std::uint64_t>> reserved_after;  ///< indexed by event
    /// Smallest and largest peak over three orders of the addresses of new segments.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> peak_range;
};

/// The result of replaying the requests of a recording under other settings.
struct WhatIf {
    std::array<WhatIfMode, 2> modes;                                     ///< indexed by ReplayMode
    std::array<std::optional<std::uint64_t>, 2> peak_as_recorded_bytes;  ///< with the recorded settings, by ReplayMode
    WhatIfVerdict verdict = WhatIfVerdict::no_card_size;
    /// The peak of ReplayMode::carried is only an upper bound: with the changed settings less memory would have been
    /// reserved before the recording.
    bool carried_is_upper_bound = false;
};

/// Runs six replays, two for the segments at the peaks and two with the recorded settings, in as many threads as the machine
/// has. Throws a Failure only when stopped.
WhatIf what_if(const RecordedRun& run, const AllocatorSettings& settings);

/// The smallest capacity with which a run fits, to 2 MiB. Takes some twenty replays. Throws a Failure only when stopped.
std::uint64_t smallest_capacity(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode);

/// The changes that the user asks about, for one device.
struct ReplayQuestion {
    std::vector<std::pair<std::string, std::string>> settings;  ///< name and value, see change_setting()
    bool find_smallest = false;
    bool try_usual = false;  ///< also tries common settings, each by itself in addition to `settings`
};

/// The result of one setting tried by itself.
struct TriedSetting {
    std::string name;
    std::string value;
    WhatIf answer;
    /// By ReplayMode: the peak less the peak under the recorded settings; nullopt if a start does not fit.
    std::array<std::optional<std::int64_t>, 2> change_bytes;
};

/// Common changes of single settings, without those that change nothing in `settings`.
std::vector<std::pair<std::string, std::string>> usual_settings(const AllocatorSettings& settings);
/// Replays with `base` and one changed setting. Error bad_query names an invalid setting.
TriedSetting try_setting(const RecordedRun& run, const AllocatorSettings& base,
                         const std::pair<std::string, std::string>& setting);

/// Facts about a recording that do not depend on a question.
struct ReplayBasis {
    RecordedRun run;
    CardBounds card;
    ReplayAgreement agreement;
};

/// The answer to a question.
struct ReplayAnswer {
    AllocatorSettings settings;
    const char* capacity_from = "nothing";  ///< "given", "recording" or "nothing"
    std::vector<std::string> refused;       ///< reasons why there is no answer; empty if there is one
    std::optional<WhatIf> answer;
    std::array<std::optional<std::uint64_t>, 2> smallest_capacity_bytes;  ///< indexed by ReplayMode
    std::vector<TriedSetting> usual;                                      ///< empty unless try_usual
};

/// The contents of `snapviewer replay` for one device.
struct ReplayReport : ReplayBasis, ReplayAnswer {
    bool is_asked = false;  ///< if false, there is no answer
};

/// Repeats the recorded settings. The arguments must outlive the result, see read_recorded_run().
ReplayBasis replay_basis(const Snapshot& snapshot, const DeviceTrace& trace);
/// Answers a question; without any change it is about the recorded settings on the recorded card. Error bad_query names an
/// invalid setting.
ReplayAnswer ask_replay(const ReplayBasis& basis, const ReplayQuestion& question);

/// Combines replay_basis() and ask_replay(), with the errors and lifetimes of both.
ReplayReport replay_report(const Snapshot& snapshot, const DeviceTrace& trace, const ReplayQuestion& question);

/// The result of a replay with expandable segments, from one of the two starts (ReplayMode).
struct ExpandableRun {
    std::uint64_t recorded_peak_bytes = 0;  ///< reserved under the recorded settings
    std::uint64_t peak_bytes = 0;           ///< reserved with expandable segments
    /// Reserved memory after each request that failed in the recording, by its event. Requests that fail in the replay, too,
    /// are missing.
    std::map<std::uint32_t, std::uint64_t> reserved_with_request;
};

/// The effect of turning on expandable segments, according to a replay.
struct ExpandableGain {
    bool has_events = false;                               ///< if false, nothing can be replayed
    std::optional<std::array<ExpandableRun, 2>> by_start;  ///< nullopt if the replay gives no answer
};

/// Replays the question of `snapviewer replay --set expandable_segments=true`. `is_over` is called every few milliseconds,
/// from several threads; once it returns true, the result has no answer. Throws a Failure only when stopped.
ExpandableGain gain_of_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace,
                                           const std::function<bool()>& is_over);

/// Advice to turn on expandable segments, which are off. Promises a lower peak of reserved memory only if both starts of the
/// replay lower it by 2 %. Empty if neither does.
std::string expandable_hint(const ExpandableGain& gain);

/// Advice for the request that failed at `event`. It counts as served only if the replay needs 2 % less reserved memory than
/// `needed_bytes`, the need under the recorded settings.
std::string expandable_hint(const ExpandableGain& gain, std::uint32_t event, std::uint64_t needed_bytes);

}  // namespace snapviewer
