#pragma once

#include "app/features/query/query_pane.h"

namespace snapviewer {

/// Height of the strip of tabs; 0 if there is only one tab, because the strip is then hidden.
float query_tabs_height(const QueryPaneState& state);
/// Draws the strip of tabs at ImGui's cursor, across the window.
void draw_query_tabs(const QueryPaneState& state, Requests& requests);

}  // namespace snapviewer
