#pragma once

#include <string>
#include <vector>

#include "app/ui/input_queue.h"

namespace snapviewer {

/// What the window's callbacks note between two frames.
struct Inbox {
    InputQueue input;
    std::vector<std::string> dropped;
    double mouse_y = 0;  ///< where the mouse was last, also while it drags a file
    double dropped_y = 0;
    bool lost_focus = false;
    bool is_roused = false;  ///< something came that a frame must answer
};

}  // namespace snapviewer
