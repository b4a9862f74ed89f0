#pragma once

#include "app/features/app_state.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// What the keys and the mouse do, and what this program is.
class Help : public Feature {
public:
    /// Both outlive this.
    Help(AppState& state, const Commands& commands) : state_(state), commands_(commands) {}

    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    AppState& state_;
    const Commands& commands_;
};

}  // namespace snapviewer
