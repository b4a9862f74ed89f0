#pragma once

#include <string>
#include <vector>

#include "app/ui/input_queue.h"

namespace snapviewer {

/// Events that the window's callbacks record between two frames.
struct Inbox {
    InputQueue input;
    std::vector<std::string> dropped;
    double mouse_y = 0;  ///< last height of the mouse, also while it drags a file
    double dropped_y = 0;
    bool lost_focus = false;
    bool is_roused = false;  ///< whether an event arrived that needs a frame
};

}  // namespace snapviewer
