#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/features/app_state.h"

namespace snapviewer {

/// What the window of a fleet shows, for the state file (docs/testing.md); null while it is closed and nothing was opened.
nlohmann::json fleet_state_json(const AppState& state);

}  // namespace snapviewer
