#pragma once

#include "app/shell/tabs.h"
#include "app/shell/window_inbox.h"
#include "app/system/desktop.h"
#include "app/ui/state_report.h"

namespace snapviewer {

/// Decides when the next frame is drawn: none while nothing moves, is typed or changes. Main thread.
class FramePace {
public:
    FramePace(const Tabs& tabs, const StateReport& report, Inbox& inbox, Desktop& desktop);

    /// Whether a frame is needed now. Sleeps until then, or for a second at most, where a program may sleep.
    bool is_due();

private:
    double longest_wait_s() const;

    const Tabs& tabs_;
    const StateReport& report_;
    Inbox& inbox_;
    Desktop& desktop_;
    bool was_animating_ = false;
    int settling_;
    double input_at_s_ = 0;
    double waits_since_s_ = 0;
};

}  // namespace snapviewer
