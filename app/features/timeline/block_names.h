#pragma once

#include "app/features/app_state.h"
#include "app/features/timeline/naming_task.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Has the blocks in view named on another thread whenever the view is another one. While it moves, those of before stay at
/// their places of the picture; a software rasterizer, which needs every core then, gets others when it rests. Main thread.
class BlockNames : public Feature {
public:
    /// Both outlive this.
    BlockNames(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Every frame.
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    AppState& state_;
    Pictures& pictures_;
    NamingScene asked_;
    Job<NamedBlocks> job_;
};

}  // namespace snapviewer
