#pragma once

#include "app/jobs/naming_task.h"
#include "app/state/app_state.h"

namespace snapviewer {

/// Has the blocks in view named on another thread whenever the view is another one. While it moves, those of before stay at
/// their places of the picture. Main thread.
class BlockNames {
public:
    /// `state` outlives this.
    explicit BlockNames(AppState& state) : state_(state) {}

    /// To be called every frame.
    void update();
    bool is_busy() const { return job_.is_busy(); }

private:
    AppState& state_;
    NamingScene asked_;
    Job<NamedBlocks> job_;
};

}  // namespace snapviewer
