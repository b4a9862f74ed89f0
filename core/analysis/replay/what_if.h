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
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

enum class WhatIfVerdict : std::uint8_t { no_card_size, fits, does_not_fit, cannot_be_told };
const char* what_if_verdict_name(WhatIfVerdict verdict);   ///< in JSON: "cannot be told"
const char* what_if_verdict_words(WhatIfVerdict verdict);  ///< for people: "depends on the addresses"

/// A recording under other settings, from one of the two starts.
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
    std::vector<std::optional<std::uint64_t>> reserved_after;  ///< by event
    /// Least and largest peak, over three orders of the addresses of new segments.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> peak_range;
};

/// The requests of a recording under other settings.
struct WhatIf {
    std::array<WhatIfMode, 2> modes;                                     ///< by ReplayMode
    std::array<std::optional<std::uint64_t>, 2> peak_as_recorded_bytes;  ///< under the recorded settings, by ReplayMode
    WhatIfVerdict verdict = WhatIfVerdict::no_card_size;
    /// The peak of ReplayMode::carried is only an upper bound: with the changed settings less memory would have been
    /// reserved before the recording.
    bool carried_is_upper_bound = false;
};

/// Six runs, two for the segments at the peaks and two of the recorded settings, side by side in as many threads as the
/// machine has. Fails only when stopped.
Result<WhatIf> what_if(const RecordedRun& run, const AllocatorSettings& settings, const Progress* progress);

/// The smallest capacity, to 2 MiB, with which a run fits. Some twenty replays. Fails only when stopped.
Result<std::uint64_t> smallest_capacity(const RecordedRun& run, const AllocatorSettings& settings, ReplayMode mode,
                                        const Progress* progress);

/// What of a question is changed, asked of one device.
struct ReplayQuestion {
    std::vector<std::pair<std::string, std::string>> settings;  ///< name and value, see change_setting()
    bool find_smallest = false;
    bool try_usual = false;  ///< the settings that people try, each by itself beside those above
};

/// One setting tried by itself.
struct TriedSetting {
    std::string name;
    std::string value;
    WhatIf answer;
    /// By ReplayMode: the peak less that under the recorded settings; nothing where a start does not fit.
    std::array<std::optional<std::int64_t>, 2> change_bytes;
};

/// What changes settings, each by itself, that people try; those that change nothing of them are left out.
std::vector<std::pair<std::string, std::string>> usual_settings(const AllocatorSettings& settings);
/// `base` with one setting changed. Error bad_query names one that makes no sense.
Result<TriedSetting> try_setting(const RecordedRun& run, const AllocatorSettings& base,
                                 const std::pair<std::string, std::string>& setting, const Progress* progress);

/// What is known of a recording before anything is asked of it.
struct ReplayBasis {
    RecordedRun run;
    CardBounds card;
    ReplayAgreement agreement;
};

/// What a question gives.
struct ReplayAnswer {
    AllocatorSettings settings;
    const char* capacity_from = "nothing";  ///< "given", "recording" or "nothing"
    std::vector<std::string> refused;       ///< why there is no answer; empty where there is one
    std::optional<WhatIf> answer;
    std::array<std::optional<std::uint64_t>, 2> smallest_capacity_bytes;  ///< by ReplayMode
    std::vector<TriedSetting> usual;                                      ///< where it was asked for
};

/// Everything `snapviewer replay` tells of a device.
struct ReplayReport : ReplayBasis, ReplayAnswer {
    bool is_asked = false;  ///< otherwise there is no answer
};

/// Repeats the recorded settings; see also read_recorded_run(), whose arguments must outlive the result, too.
Result<ReplayBasis> replay_basis(const Snapshot& snapshot, const DeviceTrace& trace, const Progress* progress);
/// Of a question without any change: the recorded settings on the recorded card. Error bad_query names a setting that makes
/// no sense.
Result<ReplayAnswer> ask_replay(const ReplayBasis& basis, const ReplayQuestion& question, const Progress* progress);

/// Error bad_query names a setting that makes no sense; see also read_recorded_run().
Result<ReplayReport> replay_report(const Snapshot& snapshot, const DeviceTrace& trace, const ReplayQuestion& question,
                                   const Progress* progress);

/// A recording replayed with expandable segments, from one of the two starts of a replay (ReplayMode).
struct ExpandableRun {
    std::uint64_t recorded_peak_bytes = 0;  ///< reserved under the recorded settings
    std::uint64_t peak_bytes = 0;           ///< reserved with expandable segments
    /// Reserved once a request that failed in the recording is served; by its event. Without those that fail here, too.
    std::map<std::uint32_t, std::uint64_t> reserved_with_request;
};

/// What a replay says about turning on expandable segments.
struct ExpandableGain {
    bool has_events = false;                               ///< otherwise nothing can be replayed
    std::optional<std::array<ExpandableRun, 2>> by_start;  ///< nullopt if the replay gives no answer
};

/// Asks what `snapviewer replay --set expandable_segments=true` asks. Gives no answer if `is_over` returns true before there
/// is one; it is called every few milliseconds, from several threads. Fails only when `progress`, which may be null, is
/// stopped.
Result<ExpandableGain> gain_of_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace,
                                                   const std::function<bool()>& is_over, const Progress* progress);

/// Advises to turn on expandable segments, which are off. Promises a lower peak of reserved memory only if both starts of
/// the replay lower it by 2 %, and is empty if neither does.
std::string expandable_hint(const ExpandableGain& gain);

/// The same for the request that failed at `event`, if `needed_bytes` would have to be reserved to serve it under the
/// recorded settings.
std::string expandable_hint(const ExpandableGain& gain, std::uint32_t event, std::uint64_t needed_bytes);

}  // namespace snapviewer
