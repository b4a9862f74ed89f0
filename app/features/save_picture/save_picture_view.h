#pragma once

#include <string>

#include "app/features/requests.h"
#include "app/features/save_picture/state.h"

namespace snapviewer {

/// `file` is what is open. Its name is the picture's until the user writes another one.
void draw_save_picture_window(SavePictureState& state, const std::string& file, Requests& requests);

}  // namespace snapviewer
