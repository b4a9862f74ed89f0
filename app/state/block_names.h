#pragma once

#include "app/jobs/naming_task.h"
#include "app/state/app_state.h"
#include "app/state/pictures.h"

namespace snapviewer {

/// Has the blocks in view named on another thread whenever the view is another one. While it moves, those of before stay at
/// their places of the picture; a software rasterizer, which needs every core then, gets others when it rests. Main thread.
class BlockNames {
public:
    /// Both outlive this.
    BlockNames(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// To be called every frame.
    void update();
    bool is_busy() const { return job_.is_busy(); }

private:
    AppState& state_;
    Pictures& pictures_;
    NamingScene asked_;
    Job<NamedBlocks> job_;
};

}  // namespace snapviewer
