#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/replay/what_if.h"

/// Texts about a replay for the window. Peaks have two decimals, as in `snapviewer replay`.
namespace snapviewer {

/// Returns a sentence on how well the model reproduces the recording.
std::string agreement_sentence(const ReplayBasis& basis);
/// Returns why a replay was refused, or whether the settings fit into memory. Precondition: `answer` has an answer or
/// reasons.
std::string verdict_sentence(const ReplayAnswer& answer);
/// Returns the recorded value of a setting: "off", "512 MiB", "not known".
std::string recorded_value(const AllocatorSettings& settings, std::string_view name);
/// Formats the peaks over the tried orders of addresses: "44.10 GiB" or "44.10 GiB to 45.02 GiB". Says so if the memory at
/// the start does not fit.
std::string peak_range_text(const WhatIfMode& mode);
/// Formats the range of peaks over all runs; empty if the start fits in none of them.
std::string peak_range_text(const WhatIf& answer);
/// Formats a change of the peak: "-3.10 GiB", "no change".
std::string peak_change_text(const std::optional<std::int64_t>& change_bytes);
/// Formats a failed request: "The request of 2.00 GiB at event 1,234 fails: ...". Events are numbered as in events.id.
std::string failure_text(const RecordedRun& run, const ReplayOom& oom);
/// Formats a request that failed in the recording only: "The request of 2.00 GiB that failed at event 1,234 fits here".
std::string retried_text(const RecordedRun& run, const RetriedOom& oom);

}  // namespace snapviewer
