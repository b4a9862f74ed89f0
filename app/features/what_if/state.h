#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/address_map/state.h"
#include "app/ui/state_parts.h"
#include "core/replay/replay_run.h"

namespace snapviewer::replay {
struct TriedSetting;
}  // namespace snapviewer::replay

namespace snapviewer {

struct RepeatedRecording;
struct AnsweredQuestion;
struct ReplayedMap;

/// An allocator setting that the user can override, with a name as in change_setting().
struct WhatIfSwitch {
    const char* name = "";
    bool is_on = false;  ///< the setting is overridden by `value`; otherwise its recorded value is used
    std::string value;
};

/// State of the window for replays with other settings.
struct WhatIfState {
    bool is_open = false;
    std::array<WhatIfSwitch, 5> switches = {{{"expandable_segments", false, "true"},
                                             {"max_split_size_mb", false, "512"},
                                             {"roundup_power2_divisions", false, "8"},
                                             {"garbage_collection_threshold", false, "0.8"},
                                             {"capacity_bytes", false, "40G"}}};
    std::string why_not = {};  ///< why the recording cannot be replayed; usually empty
    /// the replay with its own settings; null until it is done
    std::shared_ptr<const RepeatedRecording> recording = {};
    std::shared_ptr<const AnsweredQuestion> answer = {};  ///< result for the settings that were asked for last
    std::vector<std::shared_ptr<const replay::TriedSetting>> tried =
        {};  ///< finished trials of common settings, in their order
    bool shows_map = true;
    replay::ReplayMode map_mode = replay::ReplayMode::carried;
    std::optional<std::uint32_t> map_event = {};           ///< event that the user clicked; nullopt for the default moment
    std::shared_ptr<const ReplayedMap> map = {};           ///< memory by address; null until the first one is ready
    AddressMapState recorded_map = {}, replayed_map = {};  ///< view states of the two maps of `map`
    std::size_t to_try = 0;                                ///< number of common settings to try
    LongWork work = {};
    bool is_focused = false;  ///< the window has the keyboard focus
};

}  // namespace snapviewer
