#pragma once

#include "app/features/app_state.h"
#include "app/ui/commands.h"

namespace snapviewer {

/// Draws the shortcuts window while it is open: mouse gestures first, then every menu command that has a key.
void draw_keys_window(const Commands& commands, bool& is_open, const AppState& state);

/// Draws the About window (version, licence, libraries) while it is open.
void draw_about_window(bool& is_open);

}  // namespace snapviewer
