#pragma once

#include <string>

#include "app/features/app_state.h"
#include "app/features/save_picture/picture_spec.h"
#include "core/mesh/greyed.h"

namespace snapviewer {

/// Why no command draws what is on the screen, as a sentence; empty where one does.
std::string why_no_render_command(const AppState& state);

/// What of the picture no command tells, as the end of a sentence; empty where it draws all of it.
std::string left_out_of_render(const AppState& state);

/// What is on the screen, but for `out` and `size`. Only where a command draws it.
PictureSpec shown_picture(const AppState& state, Ground ground);

/// The command that draws it, as a line for a shell; it writes picture.png where it is run.
std::string render_command_line(const AppState& state, Ground ground);

}  // namespace snapviewer
