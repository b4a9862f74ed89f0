#pragma once

#include <string>

#include "app/state/app_state.h"

namespace snapviewer {

/// Why no command draws what is on the screen, as a sentence; empty where one does.
std::string why_no_render_command(const AppState& state);

/// What draws the same in a shell: `snapviewer render FILE ...`, which writes picture.png where it is run. Only where there
/// is one.
std::string render_command_line(const AppState& state, Ground ground);

}  // namespace snapviewer
