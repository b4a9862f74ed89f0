#pragma once

#include "app/features/app_state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// The main menu bar; at its right what is shown of a device, and which one if there are several. Gives its height.
float draw_menu_bar(const Commands& commands, const AppState& state, Requests& requests);

/// "Keyboard and mouse" and "About", drawn while their flags are set.
void draw_keys_window(const Commands& commands, bool& is_open, const AppState& state);
void draw_about_window(bool& is_open);

}  // namespace snapviewer
