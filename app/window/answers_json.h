#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/state/app_state.h"

namespace snapviewer {

/// What the page of findings shows; null without a picture.
nlohmann::json findings_state_json(const AppState& state);

}  // namespace snapviewer
