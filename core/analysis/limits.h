#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/analyses.h"

namespace snapviewer {

/// The tolerance for a peak above that of the baseline.
struct Tolerance {
    std::uint64_t bytes = 0;
    double share = 0;  ///< of the baseline's peak, 0.02 for 2 %
};

/// Another recording, whose peaks may not be passed.
struct Baseline {
    const Analyses* analyses = nullptr;
    /// index into its devices; compared if a single device is checked that the baseline lacks
    std::size_t default_device = 0;
};

/// The limits of a run; only limits that are set are checked.
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

/// Checks the limits for every device except pinned host memory, or for one device, in the order of Limits. Host memory is
/// checked only if there is nothing else. A value above a limit breaks it, even in an incomplete recording; but only a
/// complete one can show that a limit was met. Throws a Failure only when stopped.
///
///     Limits limits;
///     limits.peak_bytes = 20ULL << 30;
///     const auto checked = check_limits(*document.analyses, std::nullopt, limits, nullptr);
std::vector<CheckedLimit> check_limits(const Analyses& analyses, std::optional<std::size_t> device, const Limits& limits);

/// Broken if any is, else unknown if any is or nothing was checked.
LimitOutcome worst_outcome(const std::vector<CheckedLimit>& checked);

}  // namespace snapviewer
