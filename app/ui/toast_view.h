#pragma once

#include <imgui.h>

#include "app/ui/toasts.h"

namespace snapviewer {

/// Draws the toasts above everything else, centred at the lower edge of an area; the newest is at the bottom.
void draw_toasts(const Toasts& toasts, ImVec2 area_min, ImVec2 area_max);

}  // namespace snapviewer
