#include "app/features/query/queries.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "app/features/query/ready_queries.h"
#include "app/features/query/sql_text.h"
#include "app/features/session.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/system/window_system.h"
#include "app/ui/result_grid.h"

namespace snapviewer {

std::vector<query::QueryParameter> query_parameters(const Session& session, std::optional<std::uint32_t> live_tick) {
    std::vector<query::QueryParameter> parameters = {
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
            query::first_allocation_row(*session.document->snapshot, session.device_index) + device.selected.value;
    }
    parameters[3].value = step_at(device.view.x_begin);
    parameters[4].value = step_at(device.view.x_end);
    return parameters;
}

void Queries::follow(const std::shared_ptr<query::Database>& database) {
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
    const std::shared_ptr<query::Database> database = session_.document ? session_.document->database : nullptr;
    const std::shared_ptr<query::Database> both = compare_.both();
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
    pane_.parameters = query_parameters(session_, live_.tick());
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

void QueryTracks::add() {
    const QueryPaneState& pane = session_.query;
    if (session_.current_timeline() == nullptr || pane.shown_answer >= pane.answers.size()) return;
    const StatementAnswer& answer = pane.answers[pane.shown_answer];
    if (!why_no_track(*answer.chart).empty()) return;
    making_.start([timeline = session_.devices[session_.device_index].current().made.timeline, chart = answer.chart,
                   sql = answer.sql](const Progress&) {
        QueryTrack query{timeline, {chart->y_name, {}, ""}, sql};
        for (const ChartSeries& series : chart->series)
            query.track.curves.push_back(curve_of(*timeline, series, track_unit(*chart)));
        return query;
    });
}

void QueryTracks::update() {
    std::optional<QueryTrack> made = making_.take();
    if (!made) return;
    const auto is_taken = [&](const std::string& name) {
        const auto has_name = [&](const QueryTrack& each) { return each.track.name == name; };
        const auto& tracks = session_.current_overlays().curve_tracks;
        return std::ranges::any_of(session_.query_tracks, has_name) ||
               std::ranges::find(tracks, name, &CurveTrack::name) != tracks.end();
    };
    const std::string name = made->track.name;
    for (int number = 2; is_taken(made->track.name); ++number) made->track.name = fmt::format("{} ({})", name, number);
    session_.timeline.overlays.samples.forget();
    session_.query_tracks.push_back(std::move(*made));
    session_.preferences.tracks.show = true;
}

void QueryTracks::remove(std::size_t index) {
    if (index >= session_.query_tracks.size()) return;
    session_.timeline.overlays.samples.forget();
    session_.query_tracks.erase(session_.query_tracks.begin() + static_cast<std::ptrdiff_t>(index));
}

void QueryTracks::forget() {
    making_.discard();
    session_.timeline.overlays.samples.forget();
    session_.query_tracks.clear();
}

namespace {

bool can_run_query(const Session& session) { return has_document(session) && session.preferences.show_query; }
bool has_query_text(const Session& session) { return can_run_query(session) && !session.query.sql.empty(); }
bool has_several_query_tabs(const Session& session) { return can_run_query(session) && session.query.tabs.size() > 1; }

}  // namespace

void Queries::connect_running(Switchboard& board) {
    Commands& commands = board.commands;
    commands.on(CommandId::query_run, {.is_possible = has_query_text, .run = [this] { run(false); }});
    commands.on(CommandId::query_run_all, {.is_possible = has_query_text, .run = [this] { run(true); }});
    commands.on(CommandId::query_stop,
                {.is_possible = [](const Session& session) { return session.query.is_running; }, .run = [this] { stop(); }});
    commands.on(CommandId::query_save, {.is_possible = has_query_text, .run = [this] { star(pane_.sql); }});
    commands.on(CommandId::query_more_rows, {.run = [this] { run_for_more(); }});
    board.handlers.on<SaveRows>([this](const SaveRows& asked) { save(asked.path, asked.format); });
    board.handlers.on<PutQuery>([this](const PutQuery& asked) { put(asked); });
    board.handlers.on<StarQuery>([this](const StarQuery& asked) { star(asked.sql); });
}

void Queries::connect_tabs(Switchboard& board) {
    Commands& commands = board.commands;
    commands.on(CommandId::query_new_tab, {.is_possible = has_document, .run = [this] { open_tab(); }});
    commands.on(CommandId::query_next_tab, {.is_possible = has_several_query_tabs, .run = [this] {
                                                show_query_tab(pane_, (pane_.front + 1) % pane_.tabs.size());
                                            }});
    commands.on(CommandId::query_close_tab,
                {.is_possible = has_several_query_tabs, .run = [this] { close_tab(pane_.front); }});
    board.handlers.on<ShowQueryTab>([this](const ShowQueryTab& asked) { show_query_tab(pane_, asked.index); });
    board.handlers.on<CloseQueryTab>([this](const CloseQueryTab& asked) { close_tab(asked.index); });
}

void Queries::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::panel,
                            .order = 400,
                            .area = PanelArea::bottom,
                            .fixed_height = [this] { return session_.query.is_open ? 0 : query_line_height(); },
                            .draw = [this](const Area& area, Requests& requests) { draw_panel(area, requests); }});
    board.commands.on(CommandId::view_query, {.is_possible = has_document,
                                              .is_on = [](const Session& session) { return session.preferences.show_query; },
                                              .run =
                                                  [this] {
                                                      settings_.show_query = !settings_.show_query;
                                                      session_.focus_next =
                                                          settings_.show_query ? Pane::query : Pane::timeline;
                                                  }});
    connect_running(board);
    connect_tabs(board);
}

void Queries::put(const PutQuery& asked) {
    settings_.show_query = true;
    session_.focus_next = Pane::query;
    put_query(pane_, asked.sql, static_cast<int>(asked.select_begin), static_cast<int>(asked.select_end));
    if (asked.is_complete) run(true);
}

void Queries::open_tab() {
    settings_.show_query = true;
    pane_.is_open = true;
    session_.focus_next = Pane::query;
    add_query_tab(pane_);
}

void Queries::star(const std::string& sql) {
    const bool was_saved = std::ranges::find(settings_.saved_queries, sql) != settings_.saved_queries.end();
    star_query(settings_, sql, !was_saved);
    session_.toasts.say(was_saved ? "Query removed from the saved ones" : "Query saved");
}

namespace {

using JsonValue = nlohmann::json;

struct CellText {
    std::string operator()(std::monostate) const { return "NULL"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return value; }
};

const char* query_page_name(const QueryPaneState& query) {
    constexpr std::array k_names = {"answer", "cards", "tables"};
    return k_names[static_cast<std::size_t>(query.page)];
}

/// Describes the first cards of the current list of queries, for GUI tests.
JsonValue cards_report(const QueryCardsState& cards) {
    constexpr std::size_t k_max = 60;
    JsonValue report = JsonValue::array();
    for (const QueryCard& card : std::span(cards.cards).first(std::min(cards.cards.size(), k_max)))
        report.push_back({{"source", card_source_word(card.source)}, {"name", card.name}, {"sql", card.sql}});
    return report;
}

JsonValue query_report(const QueryPaneState& query) {
    JsonValue report = {{"sql", query.sql},
                        {"ran_sql", query.ran_sql},
                        {"running", query.is_running},
                        {"is_open", query.is_open},
                        {"answers", query.answers.size()},
                        {"parameters", JsonValue::object()},
                        {"given", JsonValue::object()},
                        {"completions", JsonValue::array()},
                        {"name_at_caret", query.name_at_caret ? JsonValue(query.name_at_caret->text) : JsonValue(nullptr)},
                        {"caret", query.caret},
                        {"tabs", JsonValue::array()},
                        {"front", query.front},
                        {"page", query_page_name(query)},
                        {"cards", JsonValue::array()},
                        {"notice", query.notice},
                        {"rows", 0},
                        {"columns", JsonValue::array()},
                        {"first_rows", JsonValue::array()},
                        {"truncated", false},
                        {"elapsed_ms", 0.0},
                        {"error", query.error ? JsonValue(query.error->text()) : JsonValue(nullptr)}};
    for (const query::QueryParameter& each : query.parameters)
        report["parameters"][each.name] = std::visit(CellText{}, each.value);
    for (const SqlName& each : query.completions) report["completions"].push_back(each.text);
    for (const auto& [name, typed] : query.given) {
        if (!typed.empty()) report["given"][name] = typed;
    }
    for (std::size_t i = 0; i < query.tabs.size(); ++i) report["tabs"].push_back(query.tab(i).sql);
    if (query.page != QueryPage::tables) report["cards"] = cards_report(query.cards);
    if (!query.result) return report;
    const query::QueryResult& result = *query.result;
    report["rows"] = result.row_count();
    report["columns"] = result.columns;
    report["truncated"] = result.truncated;
    report["elapsed_ms"] = result.elapsed_ms;
    const ResultChart& chart = *query.answers[query.shown_answer].chart;
    JsonValue series = JsonValue::array();
    for (const ChartSeries& each : chart.series) series.push_back(each.name);
    report["chart"] = {{"is_shown", query.chart.is_shown && chart.why_not.empty()},
                       {"why_not", chart.why_not},
                       {"why_no_track", why_no_track(chart)},
                       {"has_bars", chart.has_bars},
                       {"series", std::move(series)},
                       {"points", chart.points},
                       {"rows_without", chart.rows_without},
                       {"hovered", query.chart.hovered}};
    for (std::size_t row = 0; row < std::min({result.row_count(), query.order.size(), k_reported_rows}); ++row) {
        JsonValue cells = JsonValue::array();
        for (std::size_t column = 0; column < result.columns.size(); ++column) {
            cells.push_back(std::visit(CellText{}, result.cell(query.order[row], column)));
        }
        report["first_rows"].push_back(std::move(cells));
    }
    return report;
}

}  // namespace

void Queries::describe(nlohmann::json& report) const { report["query"] = query_report(session_.query); }

void QueryTracks::connect(Switchboard& board) {
    board.commands.on(CommandId::track_add, {.run = [this] { add(); }});
    board.handlers.on<RemoveTrack>([this](const RemoveTrack& asked) { remove(asked.index); });
}

}  // namespace snapviewer
