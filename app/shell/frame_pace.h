#pragma once

#include <optional>

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
    bool has_reason();
    double longest_wait_s() const;

    const Tabs& tabs_;
    const StateReport& report_;
    Inbox& inbox_;
    Desktop& desktop_;
    bool was_animating_ = false;
    int settling_;
    double input_at_s_ = 0;
    double waits_since_s_ = 0;
    std::optional<double> drawn_at_s_;  ///< until this is asked again
    double frame_takes_s_ = 0;          ///< the last one, until this was asked again
};

}  // namespace snapviewer
