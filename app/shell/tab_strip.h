#pragma once

#include "app/features/requests.h"
#include "app/features/tab_names.h"

namespace snapviewer {

/// Height of the tab strip; 0 while there is only one tab and the strip is hidden.
float tab_strip_height(const TabStripState& strip);
/// Draws the tab strip, which fills the current window: tabs that shrink to the available width, and a button for a new tab.
void draw_tab_strip(TabStripState& strip, Requests& requests);

}  // namespace snapviewer
