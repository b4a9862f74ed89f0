#include "app/state/queries.h"

#include <utility>

#include "app/text/ready_queries.h"
#include "app/text/result_grid.h"

namespace snapviewer {

void Queries::follow(const std::shared_ptr<Database>& database) {
    if (database == database_) return;
    database_ = database;
    job_.discard();
    pane_.result.reset();
    pane_.error.reset();
    pane_.row = -1;
    if (database != nullptr && pane_.sql.empty()) {
        const std::vector<ReadyQuery> own = ready_queries_of(database->schema());
        pane_.sql = (own.empty() ? ready_queries().front() : own.front()).sql;
        pane_.caret = static_cast<int>(pane_.sql.size());
    }
}

void Queries::update(const std::shared_ptr<Database>& database) {
    follow(database);
    if (std::optional<QueryOutcome> outcome = job_.take()) {
        pane_.row = -1;
        if (outcome->ok()) {
            show_result(pane_, **std::move(outcome));
        } else {
            pane_.result.reset();
            pane_.error = outcome->error();
        }
    }
    pane_.is_running = job_.is_busy();
    pane_.running_ms = job_.elapsed_ms();
}

void Queries::stop() {
    if (!job_.is_busy()) return;
    job_.discard();
    pane_.result.reset();
    pane_.error = stopped();
}

void Queries::run() {
    if (database_ == nullptr || pane_.sql.find_first_not_of(" \t\r\n") == std::string::npos) return;
    remember_query(settings_, pane_.sql);
    pane_.history_at = -1;
    pane_.ran_sql = pane_.sql;
    pane_.error.reset();
    job_.start(querying(database_, pane_.sql));
    pane_.is_running = true;
}

}  // namespace snapviewer
