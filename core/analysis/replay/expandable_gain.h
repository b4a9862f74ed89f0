#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

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
