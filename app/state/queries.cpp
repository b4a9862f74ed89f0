#include "app/state/queries.h"

#include <algorithm>
#include <utility>

#include "app/text/ready_queries.h"
#include "app/text/result_grid.h"
#include "app/text/sql_statements.h"
#include "app/text/timeline_axis.h"

namespace snapviewer {

std::vector<QueryParameter> query_parameters(const AppState& state) {
    std::vector<QueryParameter> parameters = {
        {":cursor_step", {}}, {":step", {}}, {":selected", {}}, {":view_begin", {}}, {":view_end", {}}};
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr) return parameters;
    const auto step_of = [&](std::uint32_t tick) {
        return static_cast<std::int64_t>(timeline->step_of_tick(std::min(tick, timeline->tick_count() - 1)));
    };
    const DeviceState& device = state.current_device();
    const auto step_at = [&](double x) {
        return device.axis == Axis::steps ? static_cast<std::int64_t>(std::clamp(x, 0.0, axis_end(*timeline, Axis::steps)))
                                          : step_of(timeline->tick_at(device.axis, x));
    };
    parameters[0].value = step_of(state.timeline.cursor_tick);
    parameters[1].value = step_of(state.live.timeline == timeline ? state.live.tick : timeline->peak_tick());
    if (device.selected.is_some() && state.current_kind() == ViewKind::allocations) {
        parameters[2].value = first_allocation_row(*state.document->snapshot, state.device_index) + device.selected.value;
    }
    parameters[3].value = step_at(device.view.x_begin);
    parameters[4].value = step_at(device.view.x_end);
    return parameters;
}

void Queries::follow(const std::shared_ptr<Database>& database) {
    if (database == database_) return;
    database_ = database;
    job_.discard();
    pane_.answers.clear();
    pane_.result.reset();
    pane_.error.reset();
    pane_.row = -1;
    if (database != nullptr && pane_.sql.empty()) {
        const std::vector<ReadyQuery> own = ready_queries_of(database->schema());
        pane_.sql = (own.empty() ? ready_queries().front() : own.front()).sql;
        pane_.caret = static_cast<int>(pane_.sql.size());
    }
}

void Queries::take_answers() {
    std::optional<QueryOutcome> outcome = job_.take();
    if (!outcome) return;
    pane_.error = outcome->error;
    pane_.failed_sql = outcome->failed_sql;
    if (outcome->answers.empty()) return;
    pane_.answers = std::move(outcome->answers);
    show_answer(pane_, pane_.answers.size() - 1);
}

void Queries::update(const std::shared_ptr<Database>& database, const std::shared_ptr<Database>& both) {
    follow(database);
    pane_.database = both != nullptr ? both : database;
    take_answers();
    if (const std::optional<SavedFile> saved = saving_.take()) {
        pane_.notice = saved->status ? "" : saved->status.error().text();
        if (saved->status) toasts_.say("Saved as " + saved->path);
    }
    pane_.is_running = job_.is_busy();
    pane_.running_ms = job_.elapsed_ms();
}

void Queries::stop() {
    if (!job_.is_busy()) return;
    job_.discard();
    pane_.error = stopped();
}

void Queries::run(bool all) {
    const std::vector<SqlSpan> spans = sql_statements(pane_.sql);
    if (database_ == nullptr || spans.empty()) return;
    remember_query(settings_, pane_.sql);
    pane_.history_at = -1;
    pane_.row_limit = k_first_row_limit;
    task_ = {{}, pane_.parameters, 0};
    const auto text_of = [this](const SqlSpan& span) { return pane_.sql.substr(span.begin, span.end - span.begin); };
    pane_.ran_sql = pane_.sql;
    if (spans.size() == 1) {
        task_.statements = {pane_.sql};  // errors say the place in what the user sees
    } else if (all) {
        for (const SqlSpan& span : spans) task_.statements.push_back(text_of(span));
    } else {
        pane_.ran_sql = text_of(statement_at(pane_.sql, static_cast<std::size_t>(std::max(pane_.caret, 0))));
        task_.statements = {pane_.ran_sql};
    }
    start();
}

void Queries::run_for_more() {
    if (database_ == nullptr || task_.statements.empty()) return;
    pane_.row_limit *= 10;
    start();
}

void Queries::start() {
    pane_.error.reset();
    pane_.notice.clear();
    task_.max_rows = pane_.row_limit;
    job_.start(querying(pane_.database, task_));
    pane_.is_running = true;
}

void Queries::save(const std::string& path, ResultFormat format) {
    if (pane_.result) saving_.start(saving(path, pane_.result, pane_.order, format));
}

}  // namespace snapviewer
