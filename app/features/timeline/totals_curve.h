#pragma once

#include <imgui.h>

#include "core/base/context.h"

namespace snapviewer {

/// Draws the totals found so far as the next item of the current window, filling `fraction` of its width. Draws nothing and
/// takes no space if there are no totals yet.
void draw_totals_curve(const TotalsPreview& totals, float fraction, ImVec2 size);

}  // namespace snapviewer
