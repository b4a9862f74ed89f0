#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// The result of a replay with expandable segments, from one start.
struct ExpandableRun {
    std::uint64_t recorded_peak_bytes = 0;  ///< Peak of the reserved memory under the recorded settings
    std::uint64_t peak_bytes = 0;           ///< Peak of the reserved memory with expandable segments
    /// Reserved bytes after each request that failed in the recording, by event of the request. Contains only requests that
    /// the replay serves.
    std::map<std::uint32_t, std::uint64_t> reserved_with_request;
};

/// The effect of turning on expandable segments, according to a replay.
struct ExpandableGain {
    bool has_events = false;  ///< False if the recording has no events to replay
    /// Result of each of the two starts of a replay; nullopt if there is no answer
    std::optional<std::array<ExpandableRun, 2>> by_start;
};

/// Computes the effect of expandable segments. The analyses get this function from outside, because the replay is a library
/// on top of them: gain_of_expandable_segments(). Calls `is_over` every few milliseconds, from several threads. If it
/// returns true, the result has no answer. Throws a Failure only when stopped.
using FindExpandableGain = ExpandableGain(const Snapshot& snapshot, const DeviceTrace& trace,
                                          const std::function<bool()>& is_over);

/// Advice to turn on expandable segments, for a recording in which they are off. Promises a lower peak of reserved memory
/// only if the replay lowers it by 2 % from both starts. Empty if it does so from neither start.
std::string expandable_hint(const ExpandableGain& gain);

/// Advice for the request that failed at `event`. The request counts as served only if the replay needs 2 % less reserved
/// memory than `needed_bytes`, the need under the recorded settings.
std::string expandable_hint(const ExpandableGain& gain, std::uint32_t event, std::uint64_t needed_bytes);

}  // namespace snapviewer
