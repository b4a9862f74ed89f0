#pragma once

#include "app/features/app_state.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The windows of the Help menu: keyboard and mouse shortcuts, and the About window.
class Help : public Feature {
public:
    /// Keeps references; both must outlive this object.
    Help(AppState& state, const Commands& commands) : state_(state), commands_(commands) {}

    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    AppState& state_;
    const Commands& commands_;
};

}  // namespace snapviewer
