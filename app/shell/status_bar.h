#pragma once

#include <string>

namespace snapviewer {

/// The texts of the status bar, from left to right.
struct StatusLine {
    std::string file;        ///< name, device, counts, peak
    std::string cursor;      ///< describes the object under the mouse
    std::string notice;      ///< message of the program; replaces `cursor`
    std::string frame_time;  ///< duration of the last frame, if the user wants to see it
};

/// Draws the status bar, which fills the current window.
void draw_status_bar(const StatusLine& line);

}  // namespace snapviewer
