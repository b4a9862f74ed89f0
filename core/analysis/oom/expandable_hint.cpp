#include "core/analysis/oom/expandable_hint.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr const char* k_setting = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";

bool is_gain(std::uint64_t bytes, std::uint64_t recorded_bytes) {
    constexpr double k_min_gain = 0.02;
    return static_cast<double>(bytes) <= (1 - k_min_gain) * static_cast<double>(recorded_bytes);
}

/// The hint that makes `promise`. `is_confirmed(run)` returns whether the replay from one start confirms the promise.
template <typename IsConfirmed>
std::string hint_of(const ExpandableGain& gain, const std::string& promise, IsConfirmed is_confirmed) {
    if (!gain.has_events) return "";
    const std::ptrdiff_t confirmed = gain.by_start ? std::ranges::count_if(*gain.by_start, is_confirmed) : 1;
    if (confirmed == 0) return "";
    return confirmed == 2 ? promise : fmt::format("{} may avoid this fragmentation.", k_setting);
}

}  // namespace

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
