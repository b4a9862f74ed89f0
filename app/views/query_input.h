#pragma once

#include "app/views/query_pane.h"

/// The left half of the query pane.
namespace snapviewer {

/// Puts a text into the input, being edited or not, and selects bytes [begin, end) of it.
void put_query(QueryPaneState& state, const std::string& sql, int begin, int end);

/// The menus of ready queries and of tables.
void draw_query_tools(QueryPaneState& state, Requests& requests);

/// Buttons, menus, input and the place of an error.
void draw_query_input(QueryPaneState& state, const Settings& settings, Requests& requests);

}  // namespace snapviewer
