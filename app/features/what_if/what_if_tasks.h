#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/space/address_space.h"
#include "core/base/job.h"
#include "core/document/document.h"
#include "core/replay/what_if.h"

/// Jobs of the window for other settings, which run on worker threads. A trace of a million events takes about a second per
/// run.
namespace snapviewer {

/// A recording that was replayed with its own settings; it can be queried any number of times. Immutable.
struct RepeatedRecording {
    std::shared_ptr<const Document> document;  ///< keeps the data alive that `basis` refers to
    std::size_t device_index = 0;
    ReplayBasis basis;
    std::vector<std::uint64_t> reserved_bytes;  ///< curve of recorded reserved memory, see k_curve_columns
};

using ChangedSettings = std::vector<std::pair<std::string, std::string>>;  ///< pairs of name and value, see change_setting()

/// The result of a replay with other settings. Immutable.
struct AnsweredQuestion {
    ChangedSettings settings;
    ReplayAnswer answer;
    /// Curve of reserved memory for each ReplayMode, see k_curve_columns. It ends early if a request failed.
    std::array<std::vector<std::uint64_t>, 2> reserved_bytes;
};

/// Maximum number of columns in a curve of reserved memory. Each column is the maximum over an equal share of the events.
inline constexpr std::size_t k_curve_columns = 512;

/// A moment of a replay for which a map is requested.
struct MappedMoment {
    ReplayMode mode = ReplayMode::carried;
    std::uint32_t events = 0;             ///< number of events that have been replayed
    std::optional<std::uint32_t> failed;  ///< index of the last of these events, if it is a request that fails
    bool operator==(const MappedMoment&) const = default;
};

/// Reserved memory by address at one moment, as recorded and as replayed. Immutable.
struct ReplayedMap {
    std::shared_ptr<const AnsweredQuestion> answer;
    MappedMoment when;
    std::shared_ptr<const AddressSpace> space;  ///< address space of the recording
    std::shared_ptr<const AddressMoment> recorded, replayed;
    std::vector<std::uint32_t> recorded_colours, replayed_colours;  ///< colour of each block, by its stack
};

using MapOutcome = Result<std::shared_ptr<const ReplayedMap>>;
using RepeatOutcome = Result<std::shared_ptr<const RepeatedRecording>>;
using AskOutcome = Result<std::shared_ptr<const AnsweredQuestion>>;
using TryOutcome = Result<std::shared_ptr<const TriedSetting>>;

Job<RepeatOutcome>::Work make_repeating_job(std::shared_ptr<const Document> document, std::size_t device_index);
Job<AskOutcome>::Work make_asking_job(std::shared_ptr<const RepeatedRecording> recording, ChangedSettings settings);
/// Creates a job that replays up to the moment `when`. Precondition: `answer` has modes.
Job<MapOutcome>::Work make_map_job(std::shared_ptr<const RepeatedRecording> recording,
                                   std::shared_ptr<const AnsweredQuestion> answer, MappedMoment when);
/// Creates a job that replays with one setting changed in `base`. Results that the table does not show are dropped.
Job<TryOutcome>::Work make_trying_job(std::shared_ptr<const RepeatedRecording> recording, AllocatorSettings base,
                                      std::pair<std::string, std::string> setting);

}  // namespace snapviewer
