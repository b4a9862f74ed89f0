#pragma once

#include <string>

namespace snapviewer {

/// The window in which a picture of what is on the screen is saved.
struct SavePictureState {
    bool is_open = false;
    std::string path;
    std::string size = "1600x900";  ///< in pixels
    bool is_svg = false;
    bool is_saving = false;  ///< one is being drawn
};

}  // namespace snapviewer
