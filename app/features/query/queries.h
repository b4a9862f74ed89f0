#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/features/compare/compare.h"
#include "app/features/live/live.h"
#include "app/features/query/ready_queries.h"
#include "app/features/query/result_chart.h"
#include "app/features/query/sql_text.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/ui/background_task.h"
#include "app/ui/feature.h"
#include "app/ui/state_parts.h"
#include "core/query/database.h"

namespace snapviewer::query {

/// The list of saved, recent and ready queries, as it was built last.
struct QueryCardsState {
    /// The inputs of the list.
    struct MadeOf {
        std::string wanted;
        std::vector<std::string> saved, history;
        bool operator==(const MadeOf&) const = default;
    };
    std::string wanted;             ///< search text of the list
    std::optional<MadeOf> made_of;  ///< inputs of the current list; nullopt if it must be built, as for another database
    std::vector<QueryCard> cards;
    std::vector<std::vector<SqlToken>> tokens;  ///< syntax colours of each card's SQL
};

/// State of the chart of a result.
struct ResultChartState {
    bool is_shown = false;  ///< show the chart instead of the rows, if the result has a chart
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
    std::optional<SqlSpan> pressed;
};

/// The result of one statement.
struct StatementAnswer {
    std::string sql;
    std::shared_ptr<const QueryResult> result;
    std::shared_ptr<const ResultChart> chart;  ///< chart of `result`, or the reason why there is none
};

inline constexpr std::size_t k_first_row_limit = 100'000;

/// One tab of the pane: a text to run, and the result of its last run.
struct QueryTab {
    std::uint64_t id = 0;  ///< unique among the tabs of the pane
    std::string sql;       ///< text in the input
    int caret = 0;         ///< byte offset in `sql`
    GivenParameters given;

    std::vector<std::string> statements;     ///< statements of the last run
    std::vector<QueryParameter> parameters;  ///< values of the parameters in the last run
    std::string ran_sql;                     ///< SQL text of the last run; `answers` belong to it unless `error` is set
    std::vector<StatementAnswer> answers;    ///< one result per statement; kept until another run has results
    std::size_t shown_answer = 0;
    std::shared_ptr<const QueryResult> result;  ///< the result that is shown
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

    /// Shows one of the results.
    void show_answer(std::size_t index);
    /// The chart of the shown result. Precondition: there is a result.
    const std::shared_ptr<const ResultChart>& shown_chart() const { return answers[shown_answer].chart; }
    bool shows_chart() const { return chart.is_shown && shown_chart()->why_not.empty(); }
    /// The row of `result` that is selected. Precondition: `row` is not -1.
    std::size_t selected_row() const { return order[static_cast<std::size_t>(row)]; }
};

/// Contents of the right half of the pane.
enum class QueryPage : std::uint8_t { answer, cards, tables };

/// State of the SQL console.
struct QueryPaneState {
    std::shared_ptr<Database> database;                     ///< database that queries run on; null while no file is open
    std::vector<QueryTab> tabs = std::vector<QueryTab>(1);  ///< never empty
    std::size_t front = 0;                                  ///< index of the tab in front
    std::uint64_t next_id = 1;

    std::optional<std::string> forced_sql;  ///< text that replaces the edited one in the next frame
    int selection_begin = 0, selection_end = 0;
    bool input_active = false;
    bool focus_input = false;
    int history_at = -1;        ///< history entry that is shown, counted from the newest; -1 for the user's own text
    std::string history_draft;  ///< the user's own text while a history entry is shown
    SqlEditorState editor;
    std::vector<SqlName> completions;
    std::optional<SqlName> name_at_caret;    ///< description of the name at the caret, if there are no completions
    std::size_t word_begin = 0;              ///< byte offset in the text that a completion replaces from
    std::vector<QueryParameter> parameters;  ///< current values of :step and other parameters

    bool is_open = false;  ///< false until the first use, and the pane is then a single line
    QueryPage page = QueryPage::answer;
    QueryCardsState cards;
    std::string wanted_table;  ///< search text of the schema page
    std::string save_path;
    ResultFormat save_format = ResultFormat::csv;

    const QueryTab& tab() const { return tabs[front]; }
    QueryTab& tab() { return tabs[front]; }
    /// Tables that queries can use; none while no file is open.
    std::span<const sqlite::TableDoc> schema() const {
        return database == nullptr ? std::span<const sqlite::TableDoc>() : database->schema();
    }
};

/// The pane that runs SQL queries, one at a time, and stores each result in the tab that asked. Results stay until the next
/// run of that tab. Results with a value per step can become tracks below the picture. Main thread; a worker thread executes
/// the queries.
class Queries : public Feature {
public:
    /// Keeps references; all must outlive this object.
    Queries(Session& session, const compare::CompareRuns& compare, const live::LivePage& live)
        : session_(session), compare_(compare), live_(live) {}

    /// Called every frame: takes results, and drops all of them if the document's database has changed. If two files are
    /// being compared, queries run on the joint database.
    void update() override;
    bool is_busy() const override { return running_.is_busy() || saving_.is_busy() || making_track_.is_busy(); }
    void connect(Switchboard& board) override;
    void leave() override;

    const QueryPaneState& state() const { return state_; }
    /// True while the query of the tab in front is running.
    bool is_running() const { return running_.is_busy() && state_.tab().id == asking_; }

private:
    /// The results of several statements, which run until one of them fails.
    struct QueryOutcome {
        std::vector<StatementAnswer> answers;
        std::string failed_sql;
        std::optional<Error> error;  ///< error of `failed_sql`
    };

    void connect_running(Switchboard& board);
    void connect_tabs(Switchboard& board);
    /// Starts the statement under the caret, or all statements in their order. No-op for an empty text or without a
    /// database. Cancels the query that is running.
    void run(bool all);
    /// Runs the last query again with a tenfold limit of rows.
    void run_for_more();
    void start();
    /// Cancels the running query at once; its tab then shows the error of a stopped query.
    void stop();
    void follow(const std::shared_ptr<Database>& database);
    void take_answers();
    /// Starts to write the rows on the screen to a file.
    void save(const std::string& path, ResultFormat format);
    void take_saved();
    void star(const std::string& sql);
    /// Returns the tab that the running query belongs to, or null if it was closed.
    QueryTab* asking_tab();

    /// Replaces the text in the input, even while it is being edited, and selects bytes [begin, end).
    void put_text(const std::string& sql, std::size_t begin, std::size_t end);
    void put(const PutQuery& asked);
    /// Inserts a name at the caret.
    void insert_name(const std::string& name);
    void open_tab();
    void show_tab(std::size_t index);
    /// Closes a tab and cancels its running query. No-op if it is the only one.
    void close_tab(std::size_t index);

    /// Starts to convert the shown result to a track below the current picture, whose steps the result is assumed to use.
    /// No-op without a picture, or if the result has no column of steps.
    void add_track();
    void take_track();
    void remove_track(std::size_t index);

    // The whole pane. Cost per frame: the visible rows, independent of the size of the result.
    void draw_panel(const Area& area, Requests& requests);
    void draw_line();
    void draw_tabs(Requests& requests);
    void draw_right_half(Requests& requests);
    void draw_cards(Requests& requests);
    void draw_card(std::size_t index, ScreenPoint size, Requests& requests);
    void draw_schema();

    // The left half, with the input.
    void draw_page_buttons();
    void draw_run_button(Requests& requests);
    void draw_input_buttons(Requests& requests);
    void draw_input(Requests& requests);
    void draw_help_line();
    void step_history(int by);
    void handle_history_keys();
    void insert_completion(const SqlName& name);
    void update_completions();

    // The right half, with the result.
    void draw_results(Requests& requests);
    void draw_save_popup(Requests& requests);
    void draw_choices(Requests& requests);
    void draw_footer(Requests& requests);

    Session& session_;
    const compare::CompareRuns& compare_;
    const live::LivePage& live_;
    QueryPaneState state_;
    std::shared_ptr<Database> of_document_;  ///< the document's database when it was seen last
    std::uint64_t asking_ = 0;               ///< id of the tab that started the last query
    BackgroundTask<QueryOutcome> running_;
    BackgroundTask<std::string> saving_;  ///< returns the path of the file
    BackgroundTask<QueryTrack> making_track_;
};

/// Draws a chart across the width of the window. Precondition: the chart's `why_not` is empty. Cost per frame: the width in
/// pixels, independent of the number of points. Defined in result_chart_ui.cpp.
void draw_result_chart(ResultChartState& state, const std::shared_ptr<const ResultChart>& chart, float height_px);

}  // namespace snapviewer::query
