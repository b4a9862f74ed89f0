#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/features/allocator_settings/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// A tree of what a file says of its allocator: name and value, the value a JSON text. Drawn while it is open.
void draw_settings_window(SettingsViewState& state, const std::vector<std::pair<std::string, std::string>>& settings,
                          Requests& requests);

}  // namespace snapviewer
