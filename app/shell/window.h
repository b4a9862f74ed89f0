#pragma once

#include <string>
#include <vector>

namespace snapviewer::shell {

struct WindowOptions {
    std::vector<std::string> files;  ///< paths of files: one is shown, two are compared, more are a fleet
    std::uint32_t part = 1;          ///< which snapshot of a file with several snapshots, from 1
    std::string place;               ///< what to show of the file, see app/features/link/links.h; empty = everything
    int width_px = 0;                ///< 0 = the size of the last run
    int height_px = 0;
};

/// Shows the window until the user closes it. Returns the exit status: 0, or 3 after a message on stderr if there is no
/// display or no OpenGL 4.1. Main thread only.
int run_window(const WindowOptions& options);

}  // namespace snapviewer::shell
