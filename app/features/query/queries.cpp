#include "app/features/query/queries.h"

#include <algorithm>
#include <utility>

#include "app/features/query/sql_statements.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/system/window_system.h"
#include "app/ui/result_grid.h"

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
    pane_.cards.made = {};
    for (std::size_t i = 0; i < pane_.tabs.size(); ++i) {
        QueryTab& tab = pane_.tab(i);
        tab.asked = {};
        tab.answers.clear();
        tab.result.reset();
        tab.error.reset();
        tab.row = -1;
    }
}

QueryTab* Queries::asking_tab() {
    for (std::size_t i = 0; i < pane_.tabs.size(); ++i) {
        if (pane_.tab(i).id == asking_) return &pane_.tab(i);
    }
    return nullptr;
}

void Queries::take_answers() {
    std::optional<QueryOutcome> outcome = job_.take();
    QueryTab* tab = asking_tab();
    if (!outcome || tab == nullptr) return;
    tab->error = outcome->error;
    tab->failed_sql = outcome->failed_sql;
    if (outcome->answers.empty()) return;
    tab->answers = std::move(outcome->answers);
    show_answer(*tab, tab->answers.size() - 1);
}

void Queries::update() {
    const std::shared_ptr<Database> database = state_.document ? state_.document->database : nullptr;
    const std::shared_ptr<Database> both = compare_.both();
    follow(database);
    pane_.database = both != nullptr ? both : database;
    take_answers();
    if (const std::optional<SavedFile> saved = saving_.take()) {
        pane_.notice = saved->status ? "" : saved->status.error().text();
        if (saved->status) {
            give_to_user(saved->path);
            toasts_.say("Saved as " + saved->path);
        }
    }
    pane_.is_running = job_.is_busy() && pane_.id == asking_;
    pane_.running_ms = job_.elapsed_ms();
    pane_.parameters = query_parameters(state_);
}

void Queries::stop() {
    if (!job_.is_busy()) return;
    job_.discard();
    if (QueryTab* tab = asking_tab()) tab->error = stopped();
}

void Queries::close_tab(std::size_t index) {
    if (index >= pane_.tabs.size() || pane_.tabs.size() < 2) return;
    if (pane_.tab(index).id == asking_) job_.discard();
    close_query_tab(pane_, index);
}

void Queries::run(bool all) {
    const std::vector<SqlSpan> spans = sql_statements(pane_.sql);
    if (database_ == nullptr || spans.empty()) return;
    remember_query(settings_, pane_.sql);
    pane_.history_at = -1;
    pane_.row_limit = k_first_row_limit;
    pane_.asked = {{}, with_given(pane_.parameters, pane_.given), 0};
    const auto text_of = [this](const SqlSpan& span) { return pane_.sql.substr(span.begin, span.end - span.begin); };
    pane_.ran_sql = pane_.sql;
    if (spans.size() == 1) {
        pane_.asked.statements = {pane_.sql};  // runs the whole text, so that offsets in errors are valid in the input
    } else if (all) {
        for (const SqlSpan& span : spans) pane_.asked.statements.push_back(text_of(span));
    } else {
        pane_.ran_sql = text_of(statement_at(pane_.sql, static_cast<std::size_t>(std::max(pane_.caret, 0))));
        pane_.asked.statements = {pane_.ran_sql};
    }
    start();
}

void Queries::run_for_more() {
    if (database_ == nullptr || pane_.asked.statements.empty()) return;
    pane_.row_limit *= 10;
    start();
}

void Queries::start() {
    if (pane_.id != asking_) stop();
    asking_ = pane_.id;
    pane_.error.reset();
    pane_.notice.clear();
    pane_.page = QueryPage::answer;
    pane_.asked.max_rows = pane_.row_limit;
    job_.start(make_query_job(pane_.database, pane_.asked));
    pane_.is_running = true;
}

void Queries::save(const std::string& path, ResultFormat format) {
    if (pane_.result) saving_.start(make_saving_job(path, pane_.result, pane_.order, format));
}

}  // namespace snapviewer
