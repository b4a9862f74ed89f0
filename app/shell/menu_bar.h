#pragma once

#include "app/features/app_state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// The main menu bar; at its right what is shown of a device, and which one if there are several. Gives its height.
float draw_menu_bar(const Commands& commands, const AppState& state, Requests& requests);

}  // namespace snapviewer
