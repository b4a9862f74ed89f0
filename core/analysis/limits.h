#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/analyses.h"
#include "core/base/progress.h"
#include "core/base/result.h"

namespace snapviewer {

/// By how much a peak may be above that of the baseline.
struct Tolerance {
    std::uint64_t bytes = 0;
    double share = 0;  ///< of the baseline's peak, 0.02 for 2 %
};

/// Another recording, whose peaks may not be passed.
struct Baseline {
    const Analyses* analyses = nullptr;
    std::size_t default_device = 0;  ///< into its devices: compared where one device is checked and it has no such one
};

/// What a run is held to; only what is given is checked.
struct Limits {
    std::optional<std::uint64_t> peak_bytes;
    std::optional<std::uint64_t> reserved_bytes;
    std::optional<std::uint64_t> growth_bytes;    ///< a training step
    std::optional<double> fragmentation_percent;  ///< of the reserved memory, when most is reserved
    std::optional<Baseline> baseline = {};
    Tolerance tolerance = {};
};

enum class LimitOutcome : std::uint8_t { within, broken, unknown };
const char* limit_outcome_name(LimitOutcome outcome);  ///< "within", "broken", "unknown"

/// One limit and how a device kept it.
struct CheckedLimit {
    std::string name;    ///< as on the command line: "max-peak"
    std::string device;  ///< device_name(), "device 1"; empty if only one device is checked
    LimitOutcome outcome = LimitOutcome::unknown;
    std::string sentence;             ///< the numbers, or why it is unknown; with full stop
    std::vector<std::string> causes;  ///< of a broken one: bytes and source of the largest stacks
};

/// Why the peak may have been higher than the recording shows; empty if nothing is missing. O(allocations).
std::string why_not_whole(const DeviceAnalyses& device);

/// Holds every device but pinned host memory to the limits, or one alone, in the order in which Limits lists them. Host
/// memory is looked at where there is nothing else. What was seen above a limit breaks it, also where the recording is not
/// whole; that it stayed below can be told only of a whole one. Fails only when stopped.
///
///     Limits limits;
///     limits.peak_bytes = 20ULL << 30;
///     const auto checked = check_limits(*document.analyses, std::nullopt, limits, nullptr);
Result<std::vector<CheckedLimit>> check_limits(const Analyses& analyses, std::optional<std::size_t> device,
                                               const Limits& limits, const Progress* progress);

/// Broken if any is, else unknown if any is or nothing was checked.
LimitOutcome worst_outcome(const std::vector<CheckedLimit>& checked);

}  // namespace snapviewer
