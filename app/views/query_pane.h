#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/requests.h"
#include "app/state/settings.h"
#include "core/document/document.h"

namespace snapviewer {

/// The SQL console: a text to run, and what the last run gave.
struct QueryPaneState {
    std::string sql;                        ///< what the input shows
    std::optional<std::string> forced_sql;  ///< to replace what is being edited, with the selection below
    int caret = 0;                          ///< byte of `sql`
    int selection_begin = 0, selection_end = 0;
    bool input_active = false;
    bool focus_input = false;
    int history_at = -1;        ///< entry shown, counted from the newest; -1 = the user's own text
    std::string history_draft;  ///< the user's own text meanwhile

    bool is_running = false;
    double running_ms = 0;  ///< for so long
    std::string ran_sql;    ///< what `result` or `error` answers
    std::optional<QueryResult> result;
    std::optional<Error> error;
    std::vector<std::uint32_t> order;  ///< rows of `result` as shown
    std::vector<float> widths_em;      ///< first widths of the columns; none before the first draw
    bool order_stale = false;
    int row = -1;  ///< chosen, an index into `order`
    int column = 0;
    bool scroll_to_row = false;
};

/// Puts the answer to the query that ran last into the pane.
void show_result(QueryPaneState& state, QueryResult result);

/// Fills the current ImGui window. `document` may be null. Cost per frame: the rows on the screen, however many the result
/// has.
void draw_query_pane(QueryPaneState& state, const Document* document, const Settings& settings, Requests& requests);

}  // namespace snapviewer
