#pragma once

#include <string>

#include "app/ui/request.h"

namespace snapviewer {

/// Work on other threads that a window waits for, as the window tells of it. What was made before stays meanwhile.
struct LongWork {
    std::string status;       ///< what is being done; empty while nothing is
    float fraction = 0;       ///< of it
    bool is_stopped = false;  ///< by the user
    std::string error;        ///< why it failed

    bool is_running() const { return !status.empty(); }
    /// It goes on when it is asked to.
    bool is_at_rest() const { return is_stopped || !error.empty(); }
    void stop() { is_stopped = true; }
    void restart() {
        is_stopped = false;
        error.clear();
    }
};

/// In a line of its own at the foot of a window, whose commands are NAME_stop and NAME_restart: while it runs, what is being
/// done and a button that stops it, and true. Where it rests, a button by which it goes on, and false: there is room beside
/// it.
bool draw_long_work(const LongWork& work, const std::string& name, Requests& requests);

}  // namespace snapviewer
