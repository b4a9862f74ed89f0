#pragma once

#include "app/features/query/query_pane.h"

/// The right half of the query pane.
namespace snapviewer {

/// The grid with a line of what it holds, or what to do when there is none.
void draw_query_results(QueryPaneState& state, const Document* document, Requests& requests);

}  // namespace snapviewer
