#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/query/query_result.h"
#include "app/features/query/ready_queries.h"
#include "app/features/query/sql_text.h"
#include "core/document/document.h"

namespace snapviewer {

/// The list of query cards, as it was built last.
struct QueryCardsState {
    std::string wanted;  ///< search text of the list
    std::vector<QueryCard> cards;
    std::vector<std::vector<SqlToken>> tokens;  ///< syntax colours of each card's SQL

    struct Made {  ///< The inputs from which the cards were built.
        bool is_made = false;
        std::string wanted;
        std::vector<std::string> saved, history;
    };
    Made made;  ///< inputs of the current list, compared to avoid rebuilding it; reset when the database changes
};

/// State of the chart of a result.
struct ResultChartState {
    bool is_shown = false;  ///< show the chart instead of the rows, if the result has a chart
    std::string hovered;    ///< text of the tooltip
    /// Cache: the points of each series of `thinned_of` that are visible in this number of columns. Recomputed when one of
    /// these changes.
    std::shared_ptr<const ResultChart> thinned_of;
    std::size_t columns = 0;
    std::vector<std::vector<ChartPoint>> points;
};

/// State of the SQL input.
struct SqlEditorState {
    std::string coloured;          ///< the text that `tokens` belong to
    std::size_t known_tables = 0;  ///< number of tables in the schema when `tokens` were computed
    std::vector<SqlToken> tokens;
    bool is_active = false;                                ///< the input has the keyboard focus
    int caret = 0;                                         ///< byte offset in the text
    int selection_begin = 0, selection_end = 0;            ///< selected range, as byte offsets; equal if nothing is selected
    double moved_at_s = 0;                                 ///< time when the caret moved last, by ImGui's clock
    bool is_on_first_line = true, is_on_last_line = true;  ///< whether the caret is on the first or last wrapped line
    float column_px = 0;                                   ///< x position that Up and Down try to keep
    int column_of = -1;                                    ///< caret for which `column_px` is valid
    /// text range that the mouse button was pressed on, while it is down
    std::optional<SqlLine> pressed;
};

inline constexpr std::size_t k_first_row_limit = 100'000;

/// One tab of the pane: a text to run, and the result of its last run.
struct QueryTab {
    std::uint64_t id = 0;  ///< unique among the tabs of the pane
    std::string sql;       ///< text in the input
    int caret = 0;         ///< byte offset in `sql`
    GivenParameters given;

    QueryTask asked;                       ///< the query of the last run
    std::string ran_sql;                   ///< SQL text of the last run; `answers` belong to it unless `error` is set
    std::vector<StatementAnswer> answers;  ///< one result per statement; kept until another run has results
    std::size_t shown_answer = 0;
    std::shared_ptr<const query::QueryResult> result;  ///< the result that is shown
    ResultChartState chart;
    std::optional<Error> error;
    std::string failed_sql;  ///< the statement that caused `error`
    std::string notice;      ///< outcome of saving rows to a file
    std::size_t row_limit = k_first_row_limit;

    std::vector<std::uint32_t> order;  ///< indices of the rows of `result`, in display order
    /// widths that fit the columns, in units of the font size; empty before the first draw
    std::vector<float> widths_em;
    bool order_stale = false;
    int row = -1;  ///< selected row, as an index into `order`; -1 for none
    int column = 0;
    bool scroll_to_row = false;
};

/// Contents of the right half of the pane.
enum class QueryPage : std::uint8_t { answer, cards, tables };

/// State of the SQL console. It derives from QueryTab and holds the front tab in itself.
struct QueryPaneState : QueryTab {
    std::shared_ptr<query::Database> database;              ///< database that queries run on; null while no file is open
    std::vector<QueryTab> tabs = std::vector<QueryTab>(1);  ///< all tabs; the entry at `front` is unused
    std::size_t front = 0;
    std::uint64_t next_id = 1;

    std::optional<std::string> forced_sql;  ///< text that replaces the edited one in the next frame
    int selection_begin = 0, selection_end = 0;
    bool input_active = false;
    bool focus_input = false;
    int history_at = -1;        ///< history entry that is shown, counted from the newest; -1 for the user's own text
    std::string history_draft;  ///< the user's own text while a history entry is shown
    SqlEditorState editor;
    std::vector<SqlName> completions;
    std::optional<SqlName> name_at_caret;  ///< description of the name at the caret, if there are no completions
    std::size_t word_begin = 0;            ///< byte offset in `sql` that a completion replaces from

    bool is_running = false;                        ///< the query of the front tab is running
    double running_ms = 0;                          ///< running time of the front tab's query so far
    std::vector<query::QueryParameter> parameters;  ///< current values of :step and other parameters

    bool is_open = false;  ///< false until the first use, and the pane is then a single line
    QueryPage page = QueryPage::answer;
    QueryCardsState cards;
    std::string wanted_table;  ///< search text of the schema page
    std::string save_path;
    ResultFormat save_format = ResultFormat::csv;

    const QueryTab& tab(std::size_t index) const { return index == front ? *this : tabs[index]; }
    QueryTab& tab(std::size_t index) { return index == front ? *this : tabs[index]; }
};

}  // namespace snapviewer
