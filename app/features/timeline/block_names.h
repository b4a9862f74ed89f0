#pragma once

#include "app/features/app_state.h"
#include "app/features/timeline/naming_task.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Keeps the names inside blocks up to date. A worker thread computes new names after the view has changed; meanwhile the
/// old names move with their blocks. While a software rasterizer is drawing coarsely, no names are computed, because it
/// needs all cores. Main thread.
class BlockNames : public Feature {
public:
    /// Keeps references; both must outlive this object.
    BlockNames(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// Called every frame.
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
