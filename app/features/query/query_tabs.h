#pragma once

#include "app/features/query/query_pane.h"

namespace snapviewer {

/// The height of the strip of tabs; 0 while it is not shown, because there is but one.
float query_tabs_height(const QueryPaneState& state);
/// A tab for each text, where ImGui's cursor is, across the window.
void draw_query_tabs(const QueryPaneState& state, Requests& requests);

}  // namespace snapviewer
