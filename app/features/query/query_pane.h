#pragma once

#include <cstddef>

#include "app/features/preferences.h"
#include "app/features/query/state.h"
#include "app/features/requests.h"
#include "core/document/document.h"

namespace snapviewer {

/// Brings a tab to the front.
void show_query_tab(QueryPaneState& state, std::size_t index);
/// Puts an empty tab behind the last, in front of the others.
void add_query_tab(QueryPaneState& state);
/// Nothing where it is the only one.
void close_query_tab(QueryPaneState& state, std::size_t index);

/// Brings one of the answers of a tab to the screen.
void show_answer(QueryTab& tab, std::size_t index);

/// Fills the current ImGui window. `document` may be null. Cost per frame: the rows on the screen, however many the result
/// has.
void draw_query_pane(QueryPaneState& state, const Document* document, Preferences& settings, Requests& requests);

/// The same as one line, before it was used: a click into it opens the pane.
void draw_query_line(QueryPaneState& state);
float query_line_height();

}  // namespace snapviewer
