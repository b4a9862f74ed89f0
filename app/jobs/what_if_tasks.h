#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/replay/what_if.h"
#include "core/base/job.h"
#include "core/document/document.h"

/// What the window of other settings has done on threads of their own. A trace of a million events takes about a second a
/// run.
namespace snapviewer {

/// A recording that was repeated under its own settings, to be asked as often as one likes. Immutable.
struct RepeatedRecording {
    std::shared_ptr<const Document> document;  ///< keeps what the rest refers to
    std::size_t device_index = 0;
    ReplayBasis basis;
    std::vector<std::uint64_t> reserved_bytes;  ///< see k_curve_columns
};

using ChangedSettings = std::vector<std::pair<std::string, std::string>>;  ///< name and value, see change_setting()

/// What other settings would have done. Immutable.
struct AnsweredQuestion {
    ChangedSettings settings;
    ReplayAnswer answer;
    /// By ReplayMode, see k_curve_columns; ends where a request failed.
    std::array<std::vector<std::uint64_t>, 2> reserved_bytes;
};

/// Reserved memory as a curve: of so many stretches of events at most, equally long, the most in each.
inline constexpr std::size_t k_curve_columns = 512;

using RepeatOutcome = Result<std::shared_ptr<const RepeatedRecording>>;
using AskOutcome = Result<std::shared_ptr<const AnsweredQuestion>>;
using TryOutcome = Result<std::shared_ptr<const TriedSetting>>;

Job<RepeatOutcome>::Work repeating(std::shared_ptr<const Document> document, std::size_t device_index);
Job<AskOutcome>::Work asking(std::shared_ptr<const RepeatedRecording> recording, ChangedSettings settings);
/// One setting beside `base`. Of its runs what is not in a table is left out.
Job<TryOutcome>::Work trying(std::shared_ptr<const RepeatedRecording> recording, AllocatorSettings base,
                             std::pair<std::string, std::string> setting);

}  // namespace snapviewer
