#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/replay/what_if.h"

/// Texts of a replay for the window. Peaks have two decimals, as in `snapviewer replay`.
namespace snapviewer {

/// How well the model repeats the recording.
std::string agreement_sentence(const ReplayBasis& basis);
/// Why nothing is answered, or whether it fits. `answer` has an answer or reasons.
std::string verdict_sentence(const ReplayAnswer& answer);
/// The recorded value of a setting: "off", "512 MiB", "not known".
std::string recorded_value(const AllocatorSettings& settings, std::string_view name);
/// "44.10 GiB", "44.10 GiB to 45.02 GiB" over the orders of addresses, or that the start does not fit.
std::string peak_range_text(const WhatIfMode& mode);
/// The range of peaks over all runs; empty if no start fits.
std::string peak_range_text(const WhatIf& answer);
/// "-3.10 GiB", "no change".
std::string peak_change_text(const std::optional<std::int64_t>& change_bytes);
/// "The request of 2.00 GiB at event 1,234 fails: ...". Events are numbered as events.id.
std::string failure_text(const RecordedRun& run, const ReplayOom& oom);
/// "The request of 2.00 GiB that failed at event 1,234 fits here".
std::string retried_text(const RecordedRun& run, const RetriedOom& oom);

}  // namespace snapviewer
