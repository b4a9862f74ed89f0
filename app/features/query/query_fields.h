#pragma once

#include "app/features/query/query_pane.h"

namespace snapviewer {

/// How much room the fields below want, as wide as what is left of the current window; 0 where the text has no parameter.
float parameter_fields_height(const QueryPaneState& state);

/// A field for each parameter of the text: it shows what the window gives it, and takes another value.
void draw_parameter_fields(QueryPaneState& state);

}  // namespace snapviewer
