#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/features/app_state.h"

namespace snapviewer {

/// What the window of a comparison shows; null while it is closed. See docs/testing.md.
nlohmann::json compare_state_json(const AppState& state);

}  // namespace snapviewer
