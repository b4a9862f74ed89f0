#pragma once

#include <cstddef>

#include "app/features/preferences.h"
#include "app/features/query/state.h"
#include "app/features/requests.h"
#include "core/document/document.h"

namespace snapviewer {

/// Brings a tab to the front.
void show_query_tab(QueryPaneState& state, std::size_t index);
/// Adds an empty tab after the last one and brings it to the front.
void add_query_tab(QueryPaneState& state);
/// Closes a tab; no-op if it is the only one.
void close_query_tab(QueryPaneState& state, std::size_t index);

/// Shows one of the results of a tab.
void show_answer(QueryTab& tab, std::size_t index);

/// Fills the current ImGui window. `document` may be null. Cost per frame: the visible rows, independent of the size of the
/// result.
void draw_query_pane(QueryPaneState& state, const Document* document, Preferences& settings, Requests& requests);

/// Draws the pane as a single line, as long as it has not been used. A click into this line opens the pane.
void draw_query_line(QueryPaneState& state);
float query_line_height();

}  // namespace snapviewer
