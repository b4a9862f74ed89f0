#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/features/app_state.h"

namespace snapviewer {

/// What the page of findings shows; null without a picture.
nlohmann::json findings_state_json(const AppState& state);
/// What the address map shows; null while it is not shown.
nlohmann::json address_map_json(const AppState& state);

/// What grows of the device on the screen; null while that is not known.
nlohmann::json growth_state_json(const AppState& state);
/// What changed between the ends of the ruler; null without one.
nlohmann::json moments_state_json(const AppState& state);
/// What was born between the flags; null while they are not in the picture.
nlohmann::json generation_state_json(const AppState& state);

}  // namespace snapviewer
