#include "app/features/query/queries.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstring>
#include <utility>

#include "app/features/timeline/timeline_axis.h"
#include "app/system/window_system.h"
#include "app/ui/result_grid.h"
#include "core/base/output_file.h"

namespace snapviewer::query {

namespace {

/// Returns the current values of ":step" and the other built-in parameters: the moments under the mouse and of the list of
/// live allocations, `live_tick`, the selected allocation, and the range of steps in view.
std::vector<QueryParameter> query_parameters(const Session& session, std::optional<std::uint32_t> live_tick) {
    std::vector<QueryParameter> parameters = {
        {":cursor_step", {}}, {":step", {}}, {":selected", {}}, {":view_begin", {}}, {":view_end", {}}};
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr) return parameters;
    const auto step_of = [&](std::uint32_t tick) {
        return static_cast<std::int64_t>(timeline->step_of_tick(std::min(tick, timeline->tick_count() - 1)));
    };
    const DeviceState& device = session.current_device();
    const auto step_at = [&](double x) {
        return device.axis == Axis::steps ? static_cast<std::int64_t>(std::clamp(x, 0.0, axis_end(*timeline, Axis::steps)))
                                          : step_of(timeline->tick_at(device.axis, x));
    };
    parameters[0].value = step_of(session.timeline.cursor_tick);
    parameters[1].value = step_of(live_tick.value_or(timeline->peak_tick()));
    if (device.selected.is_some() && session.current_kind() == ViewKind::allocations) {
        parameters[2].value =
            first_allocation_row(*session.document->snapshot, session.device_index) + device.selected.value;
    }
    parameters[3].value = step_at(device.view.x_begin);
    parameters[4].value = step_at(device.view.x_end);
    return parameters;
}

}  // namespace

void QueryTab::show_answer(std::size_t index) {
    shown_answer = index;
    result = answers[index].result;
    widths_em.clear();
    order = unsorted_rows(*result);
    order_stale = true;
    row = -1;
}

void Queries::follow(const std::shared_ptr<Database>& database) {
    if (database == of_document_) return;
    of_document_ = database;
    running_.discard();
    state_.cards.made_of.reset();
    for (QueryTab& tab : state_.tabs) {
        tab.statements.clear();
        tab.answers.clear();
        tab.result.reset();
        tab.error.reset();
        tab.row = -1;
    }
}

QueryTab* Queries::asking_tab() {
    const auto tab = std::ranges::find(state_.tabs, asking_, &QueryTab::id);
    return tab == state_.tabs.end() ? nullptr : &*tab;
}

void Queries::take_answers() {
    std::optional<Result<QueryOutcome>> taken = running_.take();
    QueryTab* tab = asking_tab();
    if (!taken || tab == nullptr) return;
    if (!*taken) {
        tab->error = taken->error();
        tab->failed_sql.clear();
        return;
    }
    QueryOutcome& outcome = **taken;
    tab->error = outcome.error;
    tab->failed_sql = outcome.failed_sql;
    if (outcome.answers.empty()) return;
    tab->answers = std::move(outcome.answers);
    tab->show_answer(tab->answers.size() - 1);
}

void Queries::take_saved() {
    const std::optional<Result<std::string>> path = saving_.take();
    if (!path) return;
    state_.tab().notice = *path ? "" : path->error().text();
    if (!*path) return;
    offer_download(**path);
    session_.toasts.say("Saved as " + **path);
}

void Queries::update() {
    const std::shared_ptr<Database> database = session_.document ? session_.document->database : nullptr;
    const std::shared_ptr<Database> both = compare_.both();
    follow(database);
    state_.database = both != nullptr ? both : database;
    take_answers();
    take_saved();
    take_track();
    state_.parameters = query_parameters(session_, live_.tick());
}

void Queries::stop() {
    if (!running_.is_busy()) return;
    running_.discard();
    if (QueryTab* tab = asking_tab()) tab->error = stopped();
}

void Queries::run(bool all) {
    QueryTab& tab = state_.tab();
    const std::vector<SqlSpan> spans = sql_statements(tab.sql);
    if (of_document_ == nullptr || spans.empty()) return;
    remember_query(session_.preferences, tab.sql);
    state_.history_at = -1;
    tab.row_limit = k_first_row_limit;
    tab.parameters = with_given(state_.parameters, tab.given);
    tab.statements.clear();
    tab.ran_sql = tab.sql;
    const auto text_of = [&](const SqlSpan& span) { return tab.sql.substr(span.begin, span.end - span.begin); };
    if (spans.size() == 1) {
        tab.statements = {tab.sql};  // runs the whole text, so that offsets in errors are valid in the input
    } else if (all) {
        for (const SqlSpan& span : spans) tab.statements.push_back(text_of(span));
    } else {
        tab.ran_sql = text_of(statement_at(tab.sql, static_cast<std::size_t>(std::max(tab.caret, 0))));
        tab.statements = {tab.ran_sql};
    }
    start();
}

void Queries::run_for_more() {
    if (of_document_ == nullptr || state_.tab().statements.empty()) return;
    state_.tab().row_limit *= 10;
    start();
}

void Queries::start() {
    QueryTab& tab = state_.tab();
    if (tab.id != asking_) stop();
    asking_ = tab.id;
    tab.error.reset();
    tab.notice.clear();
    state_.page = QueryPage::answer;
    running_.start(0, [database = state_.database, statements = tab.statements, parameters = tab.parameters,
                       max_rows = tab.row_limit](Progress& progress) {
        const QueryLimits limits{.max_rows = max_rows, .parameters = parameters, .progress = &progress};
        QueryOutcome outcome;
        for (const std::string& sql : statements) {
            Result<QueryResult> result = database->run(sql, limits);
            if (!result) {
                outcome.failed_sql = sql;
                outcome.error = result.error();
                break;
            }
            auto chart = std::make_shared<const ResultChart>(make_chart(*result));
            outcome.answers.push_back({sql, std::make_shared<const QueryResult>(std::move(*result)), std::move(chart)});
        }
        return outcome;
    });
}

void Queries::save(const std::string& path, ResultFormat format) {
    const QueryTab& tab = state_.tab();
    if (!tab.result) return;
    saving_.start_writing(0, [path, result = tab.result, order = tab.order, format](Progress&) {
        throw_if_error(OutputFile::write_whole(path, result_text(*result, order, format)));
        return path;
    });
}

void Queries::put_text(const std::string& sql, std::size_t begin, std::size_t end) {
    state_.tab().sql = sql;
    state_.forced_sql = sql;
    state_.selection_begin = static_cast<int>(begin);
    state_.selection_end = state_.tab().caret = static_cast<int>(end);
    state_.focus_input = true;
}

void Queries::put(const PutQuery& asked) {
    session_.preferences.show_query = true;
    session_.focus_next = Pane::query;
    put_text(asked.sql, asked.select_begin, asked.select_end);
    if (asked.is_complete) run(true);
}

void Queries::insert_name(const std::string& name) {
    const QueryTab& tab = state_.tab();
    const std::size_t at = std::min(static_cast<std::size_t>(tab.caret), tab.sql.size());
    std::string sql = tab.sql;
    std::string text = name;
    if (at > 0 && !std::strchr(" \n\t(.,", sql[at - 1])) text.insert(0, " ");
    sql.insert(at, text);
    put_text(sql, at + text.size(), at + text.size());
}

void Queries::open_tab() {
    session_.preferences.show_query = true;
    state_.is_open = true;
    session_.focus_next = Pane::query;
    state_.tabs.emplace_back().id = state_.next_id++;
    show_tab(state_.tabs.size() - 1);
}

void Queries::show_tab(std::size_t index) {
    if (index == state_.front || index >= state_.tabs.size()) return;
    state_.front = index;
    state_.forced_sql.reset();
    state_.completions.clear();
    state_.history_at = -1;
    state_.input_active = false;
    state_.focus_input = true;
    state_.page = QueryPage::answer;
}

void Queries::close_tab(std::size_t index) {
    if (index >= state_.tabs.size() || state_.tabs.size() < 2) return;
    if (state_.tabs[index].id == asking_) running_.discard();
    if (index == state_.front) show_tab(index + 1 < state_.tabs.size() ? index + 1 : index - 1);
    state_.tabs.erase(state_.tabs.begin() + static_cast<std::ptrdiff_t>(index));
    if (state_.front > index) --state_.front;
}

void Queries::star(const std::string& sql) {
    const auto& saved = session_.preferences.saved_queries;
    const bool was_saved = std::ranges::find(saved, sql) != saved.end();
    star_query(session_.preferences, sql, !was_saved);
    session_.toasts.say(was_saved ? "Query removed from the saved ones" : "Query saved");
}

void Queries::leave() {
    stop();
    making_track_.discard();
    session_.timeline.overlays.samples.forget();
    session_.timeline.query_tracks.clear();
}

namespace {

/// Maps a step to its position on both axes. Steps past the end of the picture map to its last time.
AxisPlace place_of_step(const Timeline& timeline, double step) {
    if (!timeline.has_times()) return {step, 0};
    const std::uint32_t tick = timeline.tick_at(Axis::steps, std::clamp(step, 0.0, axis_end(timeline, Axis::steps)));
    return {step, place_of_tick(timeline, Axis::time, tick)};
}

/// Converts a series to a curve. If several values have the same step, the last one is used, because a curve has one value
/// per position.
Curve curve_of(const Timeline& timeline, const ChartSeries& series, Unit unit) {
    std::vector<AxisPlace> places;
    std::vector<double> values;
    for (const ChartPoint& point : series.points) {
        if (!places.empty() && places.back().step == point.x) {
            values.back() = point.y;
            continue;
        }
        places.push_back(place_of_step(timeline, point.x));
        values.push_back(point.y);
    }
    return {{.id = "", .name = series.name, .doc = "", .unit = unit}, std::move(places), std::move(values)};
}

}  // namespace

void Queries::add_track() {
    const QueryTab& tab = state_.tab();
    if (session_.current_timeline() == nullptr || tab.shown_answer >= tab.answers.size()) return;
    const StatementAnswer& answer = tab.answers[tab.shown_answer];
    if (!why_no_track(*answer.chart).empty()) return;
    making_track_.start(0, [timeline = session_.devices[session_.device_index].current().made.timeline, chart = answer.chart,
                            sql = answer.sql](Progress&) {
        QueryTrack query{timeline, {chart->y_name, {}, ""}, sql};
        for (const ChartSeries& series : chart->series)
            query.track.curves.push_back(curve_of(*timeline, series, track_unit(*chart)));
        return query;
    });
}

void Queries::take_track() {
    std::optional<Result<QueryTrack>> made = making_track_.take();
    if (!made) return;
    if (!*made) {
        session_.notice = made->error().text();
        return;
    }
    QueryTrack& query = **made;
    const auto is_taken = [&](const std::string& name) {
        const auto has_name = [&](const QueryTrack& each) { return each.track.name == name; };
        const auto& tracks = session_.current_overlays().curve_tracks;
        return std::ranges::any_of(session_.timeline.query_tracks, has_name) ||
               std::ranges::find(tracks, name, &CurveTrack::name) != tracks.end();
    };
    const std::string name = query.track.name;
    for (int number = 2; is_taken(query.track.name); ++number) query.track.name = fmt::format("{} ({})", name, number);
    session_.timeline.overlays.samples.forget();
    session_.timeline.query_tracks.push_back(std::move(query));
    session_.preferences.tracks.show = true;
}

void Queries::remove_track(std::size_t index) {
    std::vector<QueryTrack>& tracks = session_.timeline.query_tracks;
    if (index >= tracks.size()) return;
    session_.timeline.overlays.samples.forget();
    tracks.erase(tracks.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace snapviewer::query
