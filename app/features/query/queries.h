#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/compare/compare_runs.h"
#include "app/features/preferences.h"
#include "app/features/query/query_pane.h"
#include "app/features/query/querying.h"
#include "app/ui/feature.h"
#include "core/query/database.h"

namespace snapviewer {

/// Returns the current values of ":step" and the other built-in parameters: the moments under the mouse and of the list of
/// live allocations, the selected allocation, and the range of steps in view.
std::vector<QueryParameter> query_parameters(const AppState& state);

/// Runs the SQL queries of the query pane, one at a time, and stores each result in the tab that asked. Results stay until
/// the next run of that tab. Main thread; a worker thread executes the queries.
class Queries : public Feature {
public:
    /// Keeps references; both must outlive this object.
    Queries(AppState& state, const CompareRuns& compare) : state_(state), compare_(compare) {}

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
    void connect_running(Switchboard& board);
    void connect_tabs(Switchboard& board);
    void put(const PutQuery& asked);
    void open_tab();
    void star(const std::string& sql);
    void follow(const std::shared_ptr<Database>& database);
    void take_answers();
    void start();
    /// Returns the tab that the running query belongs to, or null if it was closed.
    QueryTab* asking_tab();

    AppState& state_;
    const CompareRuns& compare_;
    QueryPaneState& pane_ = state_.query;
    Preferences& settings_ = state_.preferences;
    Toasts& toasts_ = state_.toasts;
    std::shared_ptr<Database> database_;  ///< the database that the results came from
    std::uint64_t asking_ = 0;            ///< id of the tab that started the last query
    Job<QueryOutcome> job_;
    Job<SavedFile> saving_;
};

}  // namespace snapviewer
