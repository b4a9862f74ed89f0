#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/findings/analyses.h"

namespace snapviewer::report {

/// How much a peak may exceed the peak of the baseline.
struct Tolerance {
    std::uint64_t bytes = 0;
    double share = 0;  ///< Fraction of the baseline's peak; 0.02 means 2 %
};

/// Another recording, whose peaks must not be exceeded.
struct Baseline {
    const findings::Analyses* analyses = nullptr;
    /// Index of the baseline's device to compare with, if only one device is checked and the baseline lacks that device
    std::size_t default_device = 0;
};

/// The limits of a run. Only limits that are set are checked.
struct Limits {
    std::optional<std::uint64_t> peak_bytes;
    std::optional<std::uint64_t> reserved_bytes;
    std::optional<std::uint64_t> growth_bytes;  ///< Maximum growth in bytes per training step
    /// Maximum idle share of the reserved memory, in percent, at the moment with the most reserved memory
    std::optional<double> fragmentation_percent;
    std::optional<Baseline> baseline = {};
    Tolerance tolerance = {};
};

enum class LimitOutcome : std::uint8_t { within, broken, unknown };
const char* limit_outcome_name(LimitOutcome outcome);  ///< Identifier for JSON: "within", "broken" or "unknown"

/// A limit and the result of checking it on one device.
struct CheckedLimit {
    std::string name;    ///< Name of the limit as on the command line, such as "max-peak"
    std::string device;  ///< Name of the device as in device_name(), such as "device 1"; empty if only one device is checked
    LimitOutcome outcome = LimitOutcome::unknown;
    /// Result as a sentence, with the numbers or the reason for an unknown outcome; ends with a full stop
    std::string sentence;
    std::vector<std::string> causes;  ///< Bytes and source of the largest stacks, if the limit is broken
};

/// The reason why the peak may have been higher than the recording shows. Empty if the recording is complete.
/// O(allocations).
std::string why_not_whole(const findings::DeviceAnalyses& device);

/// Checks the limits for one device, or for every device except pinned host memory, in the order of the fields of Limits.
/// Host memory is checked only if the recording has no other device. A value above a limit breaks the limit even in an
/// incomplete recording, but only a complete recording can show that a limit was met. Throws a Failure only when stopped.
///
///     Limits limits;
///     limits.peak_bytes = 20ULL << 30;
///     const auto checked = check_limits(*document.analyses, std::nullopt, limits, nullptr);
std::vector<CheckedLimit> check_limits(const findings::Analyses& analyses, std::optional<std::size_t> device,
                                       const Limits& limits);

/// Returns broken if any limit is broken. Otherwise returns unknown if any outcome is unknown or no limit was checked.
LimitOutcome worst_outcome(const std::vector<CheckedLimit>& checked);

}  // namespace snapviewer::report
