#pragma once

#include <imgui.h>

#include "app/ui/toasts.h"

namespace snapviewer {

/// Over everything else: the newest at the lower edge of an area, in its middle, the others above it.
void draw_toasts(const Toasts& toasts, ImVec2 area_min, ImVec2 area_max);

}  // namespace snapviewer
