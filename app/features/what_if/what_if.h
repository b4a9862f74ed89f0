#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/features/address_map/address_map.h"
#include "app/features/session.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"
#include "app/ui/state_parts.h"
#include "core/analysis/space/address_space.h"
#include "core/document/document.h"
#include "core/replay/what_if.h"

namespace snapviewer::what_if {

/// A recording that was replayed with its own settings; it can be queried any number of times. Immutable.
struct RepeatedRecording {
    std::shared_ptr<const Document> document;  ///< keeps the data alive that `basis` refers to
    std::size_t device_index = 0;
    replay::ReplayBasis basis;
    std::vector<std::uint64_t> reserved_bytes;  ///< curve of recorded reserved memory, see k_curve_columns
};

using ChangedSettings = std::vector<std::pair<std::string, std::string>>;  ///< pairs of name and value, see change_setting()

/// The result of a replay with other settings. Immutable.
struct AnsweredQuestion {
    ChangedSettings settings;
    replay::ReplayAnswer answer;
    /// Curve of reserved memory for each ReplayMode, see k_curve_columns. It ends early if a request failed.
    std::array<std::vector<std::uint64_t>, 2> reserved_bytes;
};

/// Maximum number of columns in a curve of reserved memory. Each column is the maximum over an equal share of the events.
inline constexpr std::size_t k_curve_columns = 512;

/// A moment of a replay for which a map is requested.
struct MappedMoment {
    replay::ReplayMode mode = replay::ReplayMode::carried;
    std::uint32_t events = 0;             ///< number of events that have been replayed
    std::optional<std::uint32_t> failed;  ///< index of the last of these events, if it is a request that fails
    bool operator==(const MappedMoment&) const = default;
};

/// Reserved memory by address at one moment, as recorded and as replayed. Immutable.
struct ReplayedMap {
    std::shared_ptr<const AnsweredQuestion> answer;
    MappedMoment when;
    std::shared_ptr<const space::AddressSpace> space;  ///< address space of the recording
    std::shared_ptr<const space::AddressMoment> recorded, replayed;
    std::vector<std::uint32_t> recorded_colours, replayed_colours;  ///< colour of each block, by its stack
};

/// An allocator setting that the user can override, with a name as in change_setting().
struct WhatIfSwitch {
    const char* name;
    std::string value;
    const char* doc;
    bool is_on = false;  ///< the setting is overridden by `value`; otherwise its recorded value is used
};

/// State of the window for replays with other settings.
struct WhatIfState {
    bool is_open = false;
    std::array<WhatIfSwitch, 5> switches = {
        {{"expandable_segments", "true", "Segments grow and shrink by pages instead of being requested one by one"},
         {"max_split_size_mb", "512", "Blocks of this size or more, in MiB, are not split"},
         {"roundup_power2_divisions", "8", "Sizes are rounded up to this many steps between powers of two"},
         {"garbage_collection_threshold", "0.8",
          "Cached segments are returned once this share of the capacity is in use; needs a capacity"},
         {"capacity_bytes", "40G",
          "What the allocator may hold: the card minus the context and what others use. 40G, 16384M, or bytes"}}};
    std::string why_not;                                 ///< why the recording cannot be replayed; usually empty
    std::shared_ptr<const RepeatedRecording> recording;  ///< the replay with its own settings; null until it is done
    std::shared_ptr<const AnsweredQuestion> answer;      ///< result for the settings that were asked for last
    /// finished trials of common settings, in their order
    std::vector<std::shared_ptr<const replay::TriedSetting>> tried;
    std::size_t to_try = 0;  ///< number of common settings to try
    bool shows_map = true;
    replay::ReplayMode map_mode = replay::ReplayMode::carried;
    std::optional<std::uint32_t> map_event;  ///< event that the user clicked; nullopt for the default moment
    std::shared_ptr<const ReplayedMap> map;  ///< memory by address; null until the first one is ready
    address_map::AddressMapState recorded_map, replayed_map;  ///< view states of the two maps of `map`
    LongWork work;
};

// Texts about a replay for the window. Peaks have two decimals, as in `snapviewer replay`.

/// Returns a sentence on how well the model reproduces the recording.
std::string agreement_sentence(const replay::ReplayBasis& basis);
/// Returns why a replay was refused, or whether the settings fit into memory. Precondition: `answer` has an answer or
/// reasons.
std::string verdict_sentence(const replay::ReplayAnswer& answer);
/// Returns the recorded value of a setting: "off", "512 MiB", "not known".
std::string recorded_value(const replay::AllocatorSettings& settings, std::string_view name);
/// Formats the peaks over the tried orders of addresses: "44.10 GiB" or "44.10 GiB to 45.02 GiB". Says so if the memory at
/// the start does not fit.
std::string peak_range_text(const replay::WhatIfMode& mode);
/// Formats the range of peaks over all runs; empty if the memory at the start fits in no run.
std::string peak_range_text(const replay::WhatIf& answer);
/// Formats a change of the peak: "-3.10 GiB", "no change".
std::string peak_change_text(const std::optional<std::int64_t>& change_bytes);
/// Formats a failed request: "The request of 2.00 GiB at event 1,234 fails: ...". Events are numbered as in events.id.
std::string failure_text(const replay::RecordedRun& run, const replay::ReplayOom& oom);
/// Formats a request that failed in the recording only: "The request of 2.00 GiB that failed at event 1,234 fits here".
std::string retried_text(const replay::RecordedRun& run, const replay::RetriedOom& oom);

/// Returns why the recording of a device cannot be replayed at all, as a sentence; empty if a replay can be tried.
std::string why_no_replay(const Snapshot& snapshot, std::size_t device_index);

/// Replays with other settings, while their window is open. Replays the recording of the current device, answers the
/// question of the user, then tries common settings one after another. Main thread; the replays run on worker threads, which
/// take about a second per run for a trace of a million events.
class WhatIfRuns : public Feature {
public:
    /// Keeps a reference; `session` must outlive this object.
    explicit WhatIfRuns(Session& session) : session_(session) {}

    /// Called every frame: follows the current device and the settings in the window, and takes results.
    void update() override;
    /// Stops the work and keeps the results so far. Resumes on restart(), or when the user changes a setting.
    void stop();
    /// Resumes after a stop or an error.
    void restart();
    /// True while a replay runs, or if the user has changed a setting since the last update().
    bool is_busy() const override { return is_working() || is_out_of_date(); }
    void connect(Switchboard& board) override;

    /// Switches on a setting of the window with this value.
    void use_setting(std::string_view name, const std::string& value);

    const WhatIfState& state() const { return state_; }

private:
    bool is_shown() const { return state_.is_open && session_.current_timeline() != nullptr; }
    bool is_working() const { return repeating_.is_busy() || asking_.is_busy() || trying_.is_busy() || mapping_.is_busy(); }
    bool is_of_other_device() const { return document_ != session_.document || device_index_ != session_.device_index; }
    bool is_out_of_date() const;
    void discard();
    void forget();
    void take();
    void begin_next();
    void begin_trying();
    bool is_map_out_of_date() const;
    void show_map(std::shared_ptr<const ReplayedMap> map);
    void show_work();
    void draw(Requests& requests);
    void draw_tried();

    using Recording = std::shared_ptr<const RepeatedRecording>;
    using Answer = std::shared_ptr<const AnsweredQuestion>;

    Session& session_;
    WhatIfState state_;
    std::shared_ptr<const Document> document_;  ///< document that the state of the window belongs to
    std::size_t device_index_ = 0;
    ChangedSettings wanted_;          ///< settings of the previous frame
    replay::AllocatorSettings base_;  ///< base settings of the trials
    BackgroundTask<Recording> repeating_;
    BackgroundTask<Answer, std::pair<Recording, ChangedSettings>> asking_;
    BackgroundTask<std::shared_ptr<const ReplayedMap>, std::pair<Answer, MappedMoment>> mapping_;
    BackgroundTask<std::shared_ptr<const replay::TriedSetting>> trying_;
};

}  // namespace snapviewer::what_if
