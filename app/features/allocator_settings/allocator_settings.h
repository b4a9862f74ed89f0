#pragma once

#include "app/features/app_state.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Window that lists the allocator settings recorded in the file.
class AllocatorSettingsWindow : public Feature {
public:
    /// `state` must outlive this object.
    explicit AllocatorSettingsWindow(AppState& state) : state_(state) {}

    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;

private:
    AppState& state_;
};

}  // namespace snapviewer
