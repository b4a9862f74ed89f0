#pragma once

#include "app/features/app_state.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The side page that lists the allocations that are live at a moment.
class LivePage : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit LivePage(AppState& state) : state_(state) {}

    void connect(Switchboard& board) override;
    void leave() override { state_.live = LiveListState{}; }
    void describe(nlohmann::json& report) const override;

private:
    AppState& state_;
};

}  // namespace snapviewer
