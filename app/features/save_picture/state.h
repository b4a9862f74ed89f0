#pragma once

#include <string>

namespace snapviewer {

/// State of the window for saving a picture.
struct SavePictureState {
    bool is_open = false;
    std::string path;
    std::string size = "1600x900";  ///< size of the image in pixels
    bool is_svg = false;
    bool is_saving = false;  ///< an image is being drawn
};

}  // namespace snapviewer
