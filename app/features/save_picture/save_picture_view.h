#pragma once

#include <string>

#include "app/features/requests.h"
#include "app/features/save_picture/state.h"

namespace snapviewer {

/// Draws the window for saving a picture while it is open. `file` is the open file; the picture is named after it until the
/// user enters another name.
void draw_save_picture_window(SavePictureState& state, const std::string& file, Requests& requests);

}  // namespace snapviewer
