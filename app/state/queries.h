#pragma once

#include <memory>

#include "app/jobs/tasks.h"
#include "app/state/settings.h"
#include "app/views/query_pane.h"
#include "core/query/database.h"

namespace snapviewer {

/// The questions asked in SQL: runs what the query pane shows, one at a time, and puts the answers there.
class Queries {
public:
    /// Both outlive this.
    Queries(QueryPaneState& pane, Settings& settings) : pane_(pane), settings_(settings) {}

    /// To be called every frame: takes an answer that is there. With another database than before the old answers go.
    void update(const std::shared_ptr<Database>& database);
    /// Does nothing for an empty text or without a database. One that still runs is given up.
    void run();
    /// What runs is given up at once, and answered by its error.
    void stop();
    bool is_busy() const { return job_.is_busy(); }

private:
    void follow(const std::shared_ptr<Database>& database);

    QueryPaneState& pane_;
    Settings& settings_;
    std::shared_ptr<Database> database_;  ///< that the pane's answers are about
    Job<QueryOutcome> job_;
};

}  // namespace snapviewer
