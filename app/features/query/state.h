#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/query/card_texts.h"
#include "app/features/query/querying.h"
#include "app/features/query/result_chart.h"
#include "app/features/query/sql_completion.h"
#include "app/features/query/sql_page.h"
#include "app/features/query/sql_parameters.h"
#include "app/features/query/sql_tokens.h"
#include "core/document/document.h"

namespace snapviewer {

/// The queries to choose from, as they were put together last.
struct QueryCardsState {
    std::string wanted;  ///< the search text
    std::vector<QueryCard> cards;
    std::vector<std::vector<SqlToken>> tokens;  ///< of each one's SQL

    struct Made {  ///< inputs from which the rows were made
        bool is_made = false;
        std::string wanted;
        std::vector<std::string> saved, history;
    };
    Made made;  ///< to be forgotten when the database is another one
};

/// The chart of an answer between two frames.
struct ResultChartState {
    bool is_shown = false;  ///< in place of the rows, where the answer has a chart
    std::string hovered;    ///< what the tooltip says
    /// The points of each series of `thinned_of` that are visible in this number of columns. Computed again if one of them
    /// changes.
    std::shared_ptr<const ResultChart> thinned_of;
    std::size_t columns = 0;
    std::vector<std::vector<ChartPoint>> points;
};

/// State of the input between two frames.
struct SqlEditorState {
    std::string coloured;          ///< the text of the tokens
    std::size_t known_tables = 0;  ///< number of tables of the schema that the words were made from
    std::vector<SqlToken> tokens;
    bool is_active = false;                                ///< has the keyboard
    int caret = 0;                                         ///< byte of the text
    int selection_begin = 0, selection_end = 0;            ///< byte offsets; equal if nothing is selected
    double moved_at_s = 0;                                 ///< when the caret moved last, by ImGui's clock
    bool is_on_first_line = true, is_on_last_line = true;  ///< of the screen: where the caret is
    float column_px = 0;                                   ///< to which Up and Down keep
    int column_of = -1;                                    ///< the caret that they left
    std::optional<SqlLine> pressed;                        ///< what the mouse button went down on, while it is down
};

inline constexpr std::size_t k_first_row_limit = 100'000;

/// One tab of the pane: a text to run, and the result of its last run.
struct QueryTab {
    std::uint64_t id = 0;  ///< of its own among those of the pane
    std::string sql;       ///< what the input shows
    int caret = 0;         ///< byte of `sql`
    GivenParameters given;

    QueryTask asked;                       ///< the query of the last run
    std::string ran_sql;                   ///< the same as a text: what `error` is about, and `answers` unless there is one
    std::vector<StatementAnswer> answers;  ///< a statement each; they stay until another run gives some
    std::size_t shown_answer = 0;
    std::shared_ptr<const QueryResult> result;  ///< of the answer that is shown
    ResultChartState chart;
    std::optional<Error> error;
    std::string failed_sql;  ///< the statement that `error` is about
    std::string notice;      ///< what became of a file that was saved
    std::size_t row_limit = k_first_row_limit;

    std::vector<std::uint32_t> order;  ///< rows of `result` as shown
    std::vector<float> widths_em;      ///< widths that fit the columns; empty before the first draw
    bool order_stale = false;
    int row = -1;  ///< chosen, an index into `order`
    int column = 0;
    bool scroll_to_row = false;
};

/// Contents of the right half of the pane.
enum class QueryPage : std::uint8_t { answer, cards, tables };

/// The SQL console. It is its own front tab.
struct QueryPaneState : QueryTab {
    std::shared_ptr<Database> database;                     ///< that is asked; null while no file is open
    std::vector<QueryTab> tabs = std::vector<QueryTab>(1);  ///< the place of the front one is empty
    std::size_t front = 0;
    std::uint64_t next_id = 1;

    std::optional<std::string> forced_sql;  ///< replaces the edited text, with the selection below
    int selection_begin = 0, selection_end = 0;
    bool input_active = false;
    bool focus_input = false;
    int history_at = -1;        ///< entry shown, counted from the newest; -1 = the user's own text
    std::string history_draft;  ///< the user's own text meanwhile
    SqlEditorState editor;
    std::vector<SqlName> completions;
    std::optional<SqlName> name_at_caret;  ///< where there are none
    std::size_t word_begin = 0;            ///< byte of `sql` from which a completion is put

    bool is_running = false;                 ///< what the front tab asked
    double running_ms = 0;                   ///< running time so far
    std::vector<QueryParameter> parameters;  ///< current values of :step and other parameters

    bool is_open = false;  ///< until it was used it is one line
    QueryPage page = QueryPage::answer;
    QueryCardsState cards;
    std::string wanted_table;  ///< what the schema is searched for
    std::string save_path;
    ResultFormat save_format = ResultFormat::csv;

    const QueryTab& tab(std::size_t index) const { return index == front ? *this : tabs[index]; }
    QueryTab& tab(std::size_t index) { return index == front ? *this : tabs[index]; }
};

}  // namespace snapviewer
