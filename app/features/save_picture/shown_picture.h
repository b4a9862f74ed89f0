#pragma once

#include <string>

#include "app/features/app_state.h"
#include "app/features/save_picture/picture_spec.h"
#include "core/mesh/greyed.h"

namespace snapviewer {

/// Returns why no command can draw the current view, as a sentence; empty if one can.
std::string why_no_render_command(const AppState& state);

/// Returns the parts of the current view that the command cannot draw, as the end of a sentence; empty if it draws all.
std::string left_out_of_render(const AppState& state);

/// Returns the current view as a picture, without `out` and `size`. Precondition: why_no_render_command() is empty.
PictureSpec shown_picture(const AppState& state, Ground ground);

/// Returns the command that draws the current view, quoted for a shell. It writes picture.png to the working directory.
std::string render_command_line(const AppState& state, Ground ground);

}  // namespace snapviewer
