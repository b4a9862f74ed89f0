#pragma once

#include <string>
#include <vector>

namespace snapviewer {

struct WindowOptions {
    std::vector<std::string> files;  ///< one is shown, two are compared, more are a fleet
    std::uint32_t part = 1;          ///< which snapshot of a file with several snapshots, from 1
    std::string place;               ///< what to show of the file, see app/features/link/place.h; empty = all of it
    std::string state_file;          ///< see docs/state-file.md; empty = none
    int width_px = 0;                ///< 0 = as remembered
    int height_px = 0;
};

/// Shows the window until the user closes it. Gives the exit status: 0, or 3 when there is no display or no OpenGL 4.1,
/// said on stderr. Main thread only.
int run_window(const WindowOptions& options);

}  // namespace snapviewer
