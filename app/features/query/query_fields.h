#pragma once

#include "app/features/query/query_pane.h"

namespace snapviewer {

/// Returns the height of the parameter fields at the width of the current window; 0 if the query has no parameters.
float parameter_fields_height(const QueryPaneState& state);

/// Draws a field for each parameter of the query. It shows the window's value as a hint and accepts another one.
void draw_parameter_fields(QueryPaneState& state);

}  // namespace snapviewer
