#pragma once

#include "app/views/query_pane.h"

/// The right half of the query pane.
namespace snapviewer {

void show_result(QueryPaneState& state, QueryResult result);

/// The grid with a line of what it holds, or what to do when there is none.
QueryPaneEvents draw_query_results(QueryPaneState& state, Job<QueryOutcome>& job, bool has_document);

}  // namespace snapviewer
