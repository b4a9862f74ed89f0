#pragma once

#include "app/features/app_state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Draws the main menu bar with the choices of view and device at its right end. Returns its height.
float draw_menu_bar(const Commands& commands, const AppState& state, Requests& requests);

}  // namespace snapviewer
