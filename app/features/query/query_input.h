#pragma once

#include "app/features/query/query_pane.h"

/// The left half of the query pane.
namespace snapviewer {

/// Puts a text into the input, being edited or not, and selects bytes [begin, end) of it.
void put_query(QueryPaneState& state, const std::string& sql, int begin, int end);

/// Puts a name where the caret is.
void insert_name(QueryPaneState& state, const std::string& name);

/// The way to the queries to choose from, and to the tables; a click opens the pane.
void draw_query_tools(QueryPaneState& state);

/// Buttons, input, what helps to write it, and the place of an error.
void draw_query_input(QueryPaneState& state, const Preferences& settings, Requests& requests);

}  // namespace snapviewer
