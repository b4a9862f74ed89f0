#pragma once

#include <imgui.h>

#include "app/features/app_state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// What a picture is asked for most, left of the legend above it: its colours, the flame graph, the address map. Draws from
/// `pos` in the current window, as high as the legend. Gives its width.
float draw_picture_bar(const Commands& commands, const AppState& state, ImVec2 pos, Requests& requests);

}  // namespace snapviewer
