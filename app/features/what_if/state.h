#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/address_map/state.h"
#include "app/ui/long_work.h"
#include "core/analysis/replay/replay_run.h"

namespace snapviewer {

struct RepeatedRecording;
struct AnsweredQuestion;
struct ReplayedMap;
struct TriedSetting;

/// A setting that can be changed, as change_setting() names it.
struct WhatIfSwitch {
    const char* name = "";
    bool is_on = false;  ///< otherwise it is as recorded
    std::string value;
};

/// The window of other settings between two frames.
struct WhatIfState {
    bool is_open = false;
    std::array<WhatIfSwitch, 5> switches = {{{"expandable_segments", false, "true"},
                                             {"max_split_size_mb", false, "512"},
                                             {"roundup_power2_divisions", false, "8"},
                                             {"garbage_collection_threshold", false, "0.8"},
                                             {"capacity_bytes", false, "40G"}}};
    std::string why_not = {};                                     ///< nothing can be repeated; mostly empty
    std::shared_ptr<const RepeatedRecording> recording = {};      ///< once it was repeated
    std::shared_ptr<const AnsweredQuestion> answer = {};          ///< to what was asked last
    std::vector<std::shared_ptr<const TriedSetting>> tried = {};  ///< as far as they are ready
    bool shows_map = true;
    ReplayMode map_mode = ReplayMode::carried;
    std::optional<std::uint32_t> map_event = {};           ///< that was clicked on; none: the map chooses its moment
    std::shared_ptr<const ReplayedMap> map = {};           ///< what was asked last, once it is there
    AddressMapState recorded_map = {}, replayed_map = {};  ///< how `map` is drawn
    std::size_t to_try = 0;                                ///< of settings that people try
    LongWork work = {};
    bool is_focused = false;  ///< the keyboard is in its window
};

}  // namespace snapviewer
