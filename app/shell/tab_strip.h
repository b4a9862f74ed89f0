#pragma once

#include "app/features/requests.h"
#include "app/features/tab_names.h"

namespace snapviewer {

/// The height of the strip; 0 while it is not shown, because there is but one tab.
float tab_strip_height(const TabStripState& strip);
/// Fills the current window: a tab for each file, as wide as there is room, and a button for another.
void draw_tab_strip(TabStripState& strip, Requests& requests);

}  // namespace snapviewer
