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

/// What ":step" and the like stand for while the window shows this: the moments under the mouse and of the live list, the
/// selected allocation, and the steps in view.
std::vector<QueryParameter> query_parameters(const AppState& state);

/// The questions asked in SQL: runs what the front tab of the query pane shows, one at a time, and puts the answers into the
/// tab that asked. Answers stay until there are others.
class Queries : public Feature {
public:
    /// Both outlive this.
    Queries(AppState& state, const CompareRuns& compare) : state_(state), compare_(compare) {}

    /// Every frame: takes an answer that is there. With another database than before the old answers go. Where
    /// two files are compared, the database with the tables of both is asked.
    void update() override;
    /// The statement under the caret, or all of them in their order. Does nothing for an empty text or without a database.
    /// What still runs is given up.
    void run(bool all);
    /// The same once more, with more rows.
    void run_for_more();
    /// What runs is given up at once, and answered by its error.
    void stop();
    /// Writes the rows on the screen.
    void save(const std::string& path, ResultFormat format);
    /// What a tab that is closed has asked is given up.
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
    /// Where the answers of what runs belong; null for none.
    QueryTab* asking_tab();

    AppState& state_;
    const CompareRuns& compare_;
    QueryPaneState& pane_ = state_.query;
    Preferences& settings_ = state_.preferences;
    Toasts& toasts_ = state_.toasts;
    std::shared_ptr<Database> database_;  ///< that the pane's answers are about
    std::uint64_t asking_ = 0;            ///< id of the tab that asked last
    Job<QueryOutcome> job_;
    Job<SavedFile> saving_;
};

}  // namespace snapviewer
