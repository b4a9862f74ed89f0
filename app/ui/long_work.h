#pragma once

#include <string>

#include "app/ui/request.h"

namespace snapviewer {

/// Progress of work on other threads, as a window displays it. The previous result stays visible meanwhile.
struct LongWork {
    std::string status;       ///< Description of the current step; empty while no work runs
    float fraction = 0;       ///< Progress from 0 to 1
    bool is_stopped = false;  ///< Whether the user stopped the work
    std::string error;        ///< Reason of the failure; empty unless the work failed

    bool is_running() const { return !status.empty(); }
    /// True if the work was stopped or failed; restart() resumes it.
    bool is_at_rest() const { return is_stopped || !error.empty(); }
    void stop() { is_stopped = true; }
    void restart() {
        is_stopped = false;
        error.clear();
    }
};

/// Draws one line at the bottom of a window. While the work runs: the status and a stop button (command NAME_stop); returns
/// true. If it was stopped or failed: a button that restarts it (command NAME_restart); returns false, and the caller may
/// continue the line.
bool draw_long_work(const LongWork& work, const std::string& name, Requests& requests);

}  // namespace snapviewer
