#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/compare/compare.h"
#include "app/features/live/live.h"
#include "app/features/preferences.h"
#include "app/features/query/query_result.h"
#include "app/features/query/state.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/base/job.h"
#include "core/document/document.h"
#include "core/query/database.h"

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

/// Draws the pane as a single line until its first use. A click into this line opens the pane.
void draw_query_line(QueryPaneState& state);
float query_line_height();

/// Returns the current values of ":step" and the other built-in parameters: the moments under the mouse and of the list of
/// live allocations, `live_tick`, the selected allocation, and the range of steps in view.
std::vector<query::QueryParameter> query_parameters(const Session& session, std::optional<std::uint32_t> live_tick);

/// Runs the SQL queries of the query pane, one at a time, and stores each result in the tab that asked. Results stay until
/// the next run of that tab. Main thread; a worker thread executes the queries.
class Queries : public Feature {
public:
    /// Keeps references; all must outlive this object.
    Queries(Session& session, const CompareRuns& compare, const LivePage& live)
        : session_(session), compare_(compare), live_(live) {}

    /// Called every frame: takes results, and drops all of them if the document's database has changed. If two files are
    /// being compared, queries run on the joint database.
    void update() override;
    /// Starts the statement under the caret, or all statements in their order. No-op for an empty text or without a
    /// database. Cancels the query that is running.
    void run(bool all);
    /// Runs the last query again with a tenfold limit of rows.
    void run_for_more();
    /// Cancels the running query at once; its tab then shows the error of a stopped query.
    void stop();
    /// Starts to write the rows on the screen to a file.
    void save(const std::string& path, ResultFormat format);
    /// Closes a tab and cancels its running query.
    void close_tab(std::size_t index);
    bool is_busy() const override { return job_.is_busy() || saving_.is_busy(); }
    void connect(Switchboard& board) override;
    void leave() override { stop(); }
    void describe(nlohmann::json& report) const override;

private:
    void draw_panel(const Area& area, Requests& requests);
    void connect_running(Switchboard& board);
    void connect_tabs(Switchboard& board);
    void put(const PutQuery& asked);
    void open_tab();
    void star(const std::string& sql);
    void follow(const std::shared_ptr<query::Database>& database);
    void take_answers();
    void start();
    /// Returns the tab that the running query belongs to, or null if it was closed.
    QueryTab* asking_tab();

    Session& session_;
    const CompareRuns& compare_;
    const LivePage& live_;
    QueryPaneState& pane_ = session_.query;
    Preferences& settings_ = session_.preferences;
    Toasts& toasts_ = session_.toasts;
    std::shared_ptr<query::Database> database_;  ///< the database that the results came from
    std::uint64_t asking_ = 0;                   ///< id of the tab that started the last query
    Job<QueryOutcome> job_;
    Job<SavedFile> saving_;
};

/// Converts query results that have a value per step into tracks below the picture. Main thread.
class QueryTracks : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit QueryTracks(Session& session) : session_(session) {}

    /// Starts to convert the visible result to a track below the current picture, whose steps the result is assumed to use.
    /// No-op without a picture, or if the result has no column of steps.
    void add();
    void remove(std::size_t index);
    /// Called every frame; takes a track when it is ready.
    void update() override;
    /// Removes all tracks. Call before the file is closed.
    void forget();
    bool is_busy() const override { return making_.is_busy(); }
    void connect(Switchboard& board) override;
    void leave() override { forget(); }

private:
    Session& session_;
    Job<QueryTrack> making_;
};

// The left half of the query pane, with the input.

/// Replaces the text in the input, even while it is being edited, and selects bytes [begin, end).
void put_query(QueryPaneState& state, const std::string& sql, int begin, int end);

/// Inserts a name at the caret.
void insert_name(QueryPaneState& state, const std::string& name);

/// Draws the buttons that open the list of queries and the list of tables. A click also opens the pane.
void draw_query_tools(QueryPaneState& state);

/// Draws the buttons, the input with its line of help, and the position of an error.
void draw_query_input(QueryPaneState& state, const Preferences& settings, Requests& requests);

// The right half of the query pane, with the result.

/// Draws the grid of rows with a summary line, or a hint if there are no rows.
void draw_query_results(QueryPaneState& state, const Document* document, Requests& requests);

/// Draws a chart across the width of the window. Precondition: the chart's `why_not` is empty. Cost per frame: the width in
/// pixels, independent of the number of points.
void draw_result_chart(ResultChartState& state, const std::shared_ptr<const ResultChart>& chart, float height_px);

}  // namespace snapviewer
