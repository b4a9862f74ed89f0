#pragma once

#include <string>
#include <vector>

#include "app/features/app_state.h"

namespace snapviewer {

/// Why no command draws what is on the screen, as a sentence; empty where one does.
std::string why_no_render_command(const AppState& state);

/// What of the picture no command tells, as the end of a sentence; empty where it draws all of it.
std::string left_out_of_render(const AppState& state);

/// The words of the command that draws the same into a file, beginning with "snapviewer". Only where there is one.
std::vector<std::string> render_command(const AppState& state, const std::string& out, Ground ground);

/// The same as a line for a shell, which writes picture.png where it is run.
std::string render_command_line(const AppState& state, Ground ground);

}  // namespace snapviewer
