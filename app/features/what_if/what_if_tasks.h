#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/address_space.h"
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

/// When something is asked of a replay.
struct MappedMoment {
    ReplayMode mode = ReplayMode::carried;
    std::uint32_t events = 0;             ///< that have happened
    std::optional<std::uint32_t> failed;  ///< the last of them, if it is a request that fails there
    bool operator==(const MappedMoment&) const = default;
};

/// Reserved memory by address at one moment, as it was and as it would have been. Immutable.
struct ReplayedMap {
    std::shared_ptr<const AnsweredQuestion> answer;
    MappedMoment when;
    std::shared_ptr<const AddressSpace> space;  ///< of the recording
    std::shared_ptr<const AddressMoment> recorded, replayed;
    std::vector<std::uint32_t> recorded_colours, replayed_colours;  ///< of the blocks, by stack
};

using MapOutcome = Result<std::shared_ptr<const ReplayedMap>>;
using RepeatOutcome = Result<std::shared_ptr<const RepeatedRecording>>;
using AskOutcome = Result<std::shared_ptr<const AnsweredQuestion>>;
using TryOutcome = Result<std::shared_ptr<const TriedSetting>>;

Job<RepeatOutcome>::Work make_repeating_job(std::shared_ptr<const Document> document, std::size_t device_index);
Job<AskOutcome>::Work make_asking_job(std::shared_ptr<const RepeatedRecording> recording, ChangedSettings settings);
/// `answer` has modes. One run up to the moment.
Job<MapOutcome>::Work make_map_job(std::shared_ptr<const RepeatedRecording> recording,
                                   std::shared_ptr<const AnsweredQuestion> answer, MappedMoment when);
/// One setting beside `base`. Of its runs what is not in a table is left out.
Job<TryOutcome>::Work make_trying_job(std::shared_ptr<const RepeatedRecording> recording, AllocatorSettings base,
                                      std::pair<std::string, std::string> setting);

}  // namespace snapviewer
