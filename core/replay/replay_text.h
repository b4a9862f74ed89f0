#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

#include "core/replay/what_if.h"

namespace snapviewer {

/// Text that completes "carried is …" if WhatIf::carried_is_upper_bound.
inline constexpr const char* k_only_an_upper_bound =
    "only an upper bound: with these settings less would have been reserved before the recording";

/// The report as `snapviewer replay --json` prints it. Amounts are in bytes; events have their SQL ids (events.id).
nlohmann::ordered_json replay_json(const ReplayReport& report, std::string_view file_name);

/// The reasons why a recording cannot be reproduced: the first request with a different result, and facts that the file
/// lacks. Whole lines of text.
std::string why_not_repeated(const ReplayBasis& basis);

/// The contents of the JSON report as whole lines of text.
std::string replay_text(const ReplayReport& report);

}  // namespace snapviewer
