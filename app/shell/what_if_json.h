#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/features/app_state.h"

namespace snapviewer {

/// What the window of other settings shows; null while it is closed. See docs/testing.md.
nlohmann::json what_if_state_json(const AppState& state);

}  // namespace snapviewer
