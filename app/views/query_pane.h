#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/tasks.h"
#include "app/state/requests.h"
#include "app/state/settings.h"
#include "app/text/sql_completion.h"
#include "app/views/result_chart_view.h"
#include "core/document/document.h"

namespace snapviewer {

inline constexpr std::size_t k_first_row_limit = 100'000;

/// The SQL console: a text to run, and what the last run gave.
struct QueryPaneState {
    std::shared_ptr<Database> database;     ///< that is asked; null while no file is open
    std::string sql;                        ///< what the input shows
    std::optional<std::string> forced_sql;  ///< to replace what is being edited, with the selection below
    int caret = 0;                          ///< byte of `sql`
    int selection_begin = 0, selection_end = 0;
    bool input_active = false;
    bool focus_input = false;
    int history_at = -1;        ///< entry shown, counted from the newest; -1 = the user's own text
    std::string history_draft;  ///< the user's own text meanwhile

    bool is_running = false;
    double running_ms = 0;                 ///< for so long
    std::string ran_sql;                   ///< what was run last: what `error` is about, and `answers` unless there is one
    std::vector<StatementAnswer> answers;  ///< a statement each; they stay until another run gives some
    std::size_t shown_answer = 0;
    std::shared_ptr<const QueryResult> result;  ///< of the answer that is shown
    ResultChartState chart;
    std::optional<Error> error;
    std::string failed_sql;                  ///< the statement that `error` is about
    std::string notice;                      ///< what became of a file that was saved
    std::vector<QueryParameter> parameters;  ///< what :step and the like stand for now
    std::size_t row_limit = k_first_row_limit;

    bool is_open = false;  ///< until it was used it is one line
    bool chooses_file = false;
    std::string save_path;
    ResultFormat save_format = ResultFormat::csv;
    std::vector<SqlName> completions;
    std::size_t word_begin = 0;        ///< byte of `sql` from which a completion is put
    std::vector<std::uint32_t> order;  ///< rows of `result` as shown
    std::vector<float> widths_em;      ///< first widths of the columns; none before the first draw
    bool order_stale = false;
    int row = -1;  ///< chosen, an index into `order`
    int column = 0;
    bool scroll_to_row = false;
};

/// Brings one of the answers to the screen.
void show_answer(QueryPaneState& state, std::size_t index);

/// Fills the current ImGui window. `document` may be null. Cost per frame: the rows on the screen, however many the result
/// has.
void draw_query_pane(QueryPaneState& state, const Document* document, Settings& settings, Requests& requests);

/// The same as one line, before it was used: a click into it opens the pane.
void draw_query_line(QueryPaneState& state, Requests& requests);
float query_line_height();

}  // namespace snapviewer
