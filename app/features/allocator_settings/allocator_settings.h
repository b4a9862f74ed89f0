#pragma once

#include "app/features/app_state.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The window with the settings of the allocator that the file tells.
class AllocatorSettingsWindow : public Feature {
public:
    /// `state` outlives this.
    explicit AllocatorSettingsWindow(AppState& state) : state_(state) {}

    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;

private:
    AppState& state_;
};

}  // namespace snapviewer
