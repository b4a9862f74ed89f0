#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/analysis/replay/what_if.h"

namespace snapviewer {

/// A report as `snapviewer replay --json` gives it. Bytes; events are counted within the device.
nlohmann::ordered_json replay_json(const ReplayReport& report, std::string_view file_name);

/// The same for people, whole lines.
std::string replay_text(const ReplayReport& report);

}  // namespace snapviewer
