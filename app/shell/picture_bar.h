#pragma once

#include <imgui.h>

#include "app/features/app_state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Draws the most used controls of a picture, to the left of its legend: the colours, the flame graph and the address map.
/// Draws from `pos` in the current window, as high as the legend. Returns the width.
float draw_picture_bar(const Commands& commands, const AppState& state, ImVec2 pos, Requests& requests);

}  // namespace snapviewer
