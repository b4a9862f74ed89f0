#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/features/allocator_settings/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Draws the window of allocator settings as a tree while `state.is_open`. Each setting is a name and a value in JSON.
void draw_settings_window(SettingsViewState& state, const std::vector<std::pair<std::string, std::string>>& settings,
                          Requests& requests);

}  // namespace snapviewer
