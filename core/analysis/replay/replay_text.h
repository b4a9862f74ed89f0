#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/analysis/replay/what_if.h"

namespace snapviewer {

/// Completes "carried is …" if WhatIf::carried_is_upper_bound.
inline constexpr const char* k_only_an_upper_bound =
    "only an upper bound: with these settings less would have been reserved before the recording";

/// A report as `snapviewer replay --json` gives it. Bytes; events are numbered as events.id.
nlohmann::ordered_json replay_json(const ReplayReport& report, std::string_view file_name);

/// Of a recording that is not repeated: the first request that goes otherwise, and what the file does not tell. Whole lines.
std::string why_not_repeated(const ReplayBasis& basis);

/// The same as the JSON for people, whole lines.
std::string replay_text(const ReplayReport& report);

}  // namespace snapviewer
