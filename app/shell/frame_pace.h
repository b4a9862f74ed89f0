#pragma once

#include <optional>

#include "app/shell/tabs.h"
#include "app/system/desktop.h"

namespace snapviewer::shell {

/// Decides when the next frame is drawn, so that an idle window draws none. Main thread.
class FramePace {
public:
    FramePace(const Tabs& tabs, Inbox& inbox, Desktop& desktop);

    /// True if a frame is needed now. Sleeps until then, for a second at most, if the platform allows the main thread to
    /// sleep.
    bool is_due();

private:
    bool has_reason();
    double longest_wait_s() const;

    const Tabs& tabs_;
    Inbox& inbox_;
    Desktop& desktop_;
    bool was_animating_ = false;
    int settling_;
    double input_at_s_ = 0;
    double waits_since_s_ = 0;
    std::optional<double> drawn_at_s_;  ///< start of the current frame, until the next is_due()
    double frame_takes_s_ = 0;          ///< duration of the last frame, measured until the next is_due()
};

}  // namespace snapviewer::shell
