#pragma once

#include "app/features/query/query_pane.h"

/// The left half of the query pane, with the input.
namespace snapviewer {

/// Replaces the text in the input, even while it is being edited, and selects bytes [begin, end).
void put_query(QueryPaneState& state, const std::string& sql, int begin, int end);

/// Inserts a name at the caret.
void insert_name(QueryPaneState& state, const std::string& name);

/// Draws the buttons that open the list of queries and the list of tables. A click also opens the pane.
void draw_query_tools(QueryPaneState& state);

/// Draws the buttons, the input with its line of help, and the position of an error.
void draw_query_input(QueryPaneState& state, const Preferences& settings, Requests& requests);

}  // namespace snapviewer
