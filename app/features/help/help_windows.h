#pragma once

#include "app/features/app_state.h"
#include "app/ui/commands.h"

namespace snapviewer {

/// What the mouse does, then the key of each command of the menus that has one; drawn while it is open.
void draw_keys_window(const Commands& commands, bool& is_open, const AppState& state);

/// Version, licence and libraries; drawn while it is open.
void draw_about_window(bool& is_open);

}  // namespace snapviewer
