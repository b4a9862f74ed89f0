#pragma once

#include <string>

namespace snapviewer {

/// The texts of the status line, left to right.
struct StatusLine {
    std::string file;        ///< name, device, counts, peak
    std::string cursor;      ///< what is under the mouse
    std::string notice;      ///< what the program has to say; stands in for `cursor`
    std::string frame_time;  ///< how long the last frame took, where that is asked for
};

/// Fills the current window.
void draw_status_bar(const StatusLine& line);

}  // namespace snapviewer
