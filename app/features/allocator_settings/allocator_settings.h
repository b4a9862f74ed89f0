#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/features/allocator_settings/state.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Window that lists the allocator settings recorded in the file.
class AllocatorSettingsWindow : public Feature {
public:
    /// `state` must outlive this object.
    explicit AllocatorSettingsWindow(Session& session) : session_(session) {}

    void connect(Switchboard& board) override;

private:
    Session& session_;
};

/// Draws the window of allocator settings as a tree while `state.is_open`. Each setting is a name and a value in JSON.
void draw_settings_window(SettingsViewState& state, const std::vector<std::pair<std::string, std::string>>& settings,
                          Requests& requests);

}  // namespace snapviewer
