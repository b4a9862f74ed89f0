#pragma once

#include <string>

#include "app/features/requests.h"

namespace snapviewer {

/// The window in which a picture of what is on the screen is saved.
struct SavePictureState {
    std::string path;
    std::string size = "1600x900";  ///< in pixels
    bool is_svg = false;
    bool is_saving = false;  ///< one is being drawn
};

/// `file` is what is open. Its name is the picture's until the user writes another one.
void draw_save_picture_window(SavePictureState& state, bool& is_open, const std::string& file, Requests& requests);

}  // namespace snapviewer
