#pragma once

#include <imgui.h>

#include "core/base/totals_preview.h"

namespace snapviewer {

/// Draws the totals found so far as the next item of the current window, `fraction` of its width full. Draws nothing, and
/// takes no room, while there are none.
void draw_totals_curve(const TotalsPreview& totals, float fraction, ImVec2 size);

}  // namespace snapviewer
