#pragma once

#include "app/features/query/query_pane.h"

/// The right half of the query pane, with the result.
namespace snapviewer {

/// Draws the grid of rows with a summary line, or a hint if there are no rows.
void draw_query_results(QueryPaneState& state, const Document* document, Requests& requests);

}  // namespace snapviewer
