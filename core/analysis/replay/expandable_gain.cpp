#include "core/analysis/replay/expandable_gain.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/replay/what_if.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

constexpr const char* k_setting = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";

std::optional<std::array<ExpandableRun, 2>> runs_of(const WhatIf& answer) {
    std::array<ExpandableRun, 2> runs;
    for (std::size_t m = 0; m < runs.size(); ++m) {
        const WhatIfMode& mode = answer.modes[m];
        const auto& recorded_peak = answer.peak_as_recorded_bytes[m];
        if (!mode.start_fits || !recorded_peak) return std::nullopt;
        runs[m] = {*recorded_peak, mode.peak_reserved_bytes, {}};
        for (const RetriedOom& oom : mode.recorded_ooms) {
            if (oom.reserved_with_it_bytes) runs[m].reserved_with_request[oom.event] = *oom.reserved_with_it_bytes;
        }
    }
    return runs;
}

bool is_gain(std::uint64_t bytes, std::uint64_t recorded_bytes) {
    constexpr double k_min_gain = 0.02;
    return static_cast<double>(bytes) <= (1 - k_min_gain) * static_cast<double>(recorded_bytes);
}

/// The hint, if `is_confirmed` says of each start of a replay whether it confirms `promise`.
template <typename IsConfirmed>
std::string hint_of(const ExpandableGain& gain, const std::string& promise, IsConfirmed is_confirmed) {
    if (!gain.has_events) return "";
    const std::ptrdiff_t confirmed = gain.by_start ? std::ranges::count_if(*gain.by_start, is_confirmed) : 1;
    if (confirmed == 0) return "";
    return confirmed == 2 ? promise : fmt::format("{} may avoid this fragmentation.", k_setting);
}

}  // namespace

Result<ExpandableGain> gain_of_expandable_segments(const Snapshot& snapshot, const DeviceTrace& trace,
                                                   const std::function<bool()>& is_over, const Progress* progress) {
    ExpandableGain gain{trace.events.size() > 0, std::nullopt};
    if (!gain.has_events) return gain;
    Progress limited;
    limited.stop_when([&] { return must_stop(progress) || is_over(); });
    const auto report = replay_report(snapshot, trace, {.settings = {{"expandable_segments", "true"}}}, &limited);
    if (must_stop(progress)) return stopped();
    if (report && report->answer) gain.by_start = runs_of(*report->answer);
    return gain;
}

std::string expandable_hint(const ExpandableGain& gain) {
    std::uint64_t recorded_peak = 0;
    std::uint64_t peak = 0;
    if (gain.by_start) {
        const auto& higher = std::ranges::max(*gain.by_start, {}, &ExpandableRun::peak_bytes);
        recorded_peak = higher.recorded_peak_bytes;
        peak = higher.peak_bytes;
    }
    const std::string promise = fmt::format("With {}, a replay of this recording reserves at most {} instead of {}.",
                                            k_setting, format_bytes(peak), format_bytes(recorded_peak));
    return hint_of(gain, promise, [](const ExpandableRun& run) { return is_gain(run.peak_bytes, run.recorded_peak_bytes); });
}

std::string expandable_hint(const ExpandableGain& gain, std::uint32_t event, std::uint64_t needed_bytes) {
    const std::string promise = fmt::format("With {}, a replay of this recording serves this request.", k_setting);
    return hint_of(gain, promise, [&](const ExpandableRun& run) {
        const auto served = run.reserved_with_request.find(event);
        return served != run.reserved_with_request.end() && is_gain(served->second, needed_bytes);
    });
}

}  // namespace snapviewer
