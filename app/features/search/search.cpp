#include "app/features/search/search.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <utility>

#include "app/features/highlight.h"
#include "core/query/search_sql.h"

namespace snapviewer {

void SearchBar::update() {
    Highlight& highlight = session_.highlight;
    if (!highlight.is_none()) was_opened_ = false;
    if (!highlight.is_waiting || session_.current_timeline() == nullptr) {
        task_.discard();
    } else {
        const auto& timeline = session_.devices[session_.device_index].current().made.timeline;
        const TextSought& sought = *highlight.as<TextSought>();
        task_.follow({timeline, sought.text}, timeline->snapshot().read_bytes,
                     [timeline, terms = sought.terms](Progress&) { return find_terms(*timeline, terms); });
    }
    std::optional<Result<Emphasis>> found = task_.take();
    if (!found) return;
    if (*found) return show_found(highlight, *task_.input()->first, **std::move(found));
    highlight.is_waiting = false;
    session_.notice = found->error().text();
}

void SearchBar::open() {
    if (session_.document == nullptr) return;
    was_opened_ = focus_input_ = true;
}

void SearchBar::close() {
    was_opened_ = false;
    selection_.close_search();
}

bool SearchBar::dismiss(Requests& /*requests*/) {
    const bool was_open = is_open();
    close();
    return was_open;
}

std::string SearchBar::typed_text() const {
    const auto* typed = session_.highlight.as<TextSought>();
    return typed != nullptr ? typed->text : "";
}

std::string why_no_search_sql(const Session& session) {
    const auto* typed = session.highlight.as<TextSought>();
    if (typed != nullptr && !typed->error.empty()) return "Not as SQL: " + typed->error;
    if (session.current_timeline() == nullptr || typed == nullptr || typed->terms.empty())
        return "Only a typed search can be shown as SQL";
    if (session.current_kind() != ViewKind::allocations)
        return "The tables are about allocations; switch to them first (Picture > Allocations)";
    return {};
}

namespace {

bool can_walk(const Session& session) { return has_hits(session) && session.focused == Pane::timeline; }

}  // namespace

void SearchBar::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::above_picture,
                            .order = 300,
                            .is_there = [this](const Session& session) { return is_open() && shows_timeline(session); },
                            .draw = [this](const Area&, Requests& requests) { draw(requests); }});
    board.commands.on(CommandId::go_find, {.is_possible = has_picture, .run = [this] { open(); }});
    // Enter works in the search field, too, because the field loses the keyboard focus for a frame at each Enter.
    board.commands.on(CommandId::go_next_hit, {.is_possible = can_walk, .run = [this] { selection_.go_to_hit(true); }});
    board.commands.on(CommandId::go_previous_hit, {.is_possible = can_walk, .run = [this] { selection_.go_to_hit(false); }});
    board.commands.on(CommandId::go_search_sql,
                      {.is_possible = [](const Session& session) { return why_no_search_sql(session).empty(); },
                       .doc = why_no_search_sql,
                       .run = [this, &board] { ask_in_sql(board.requests); }});
    board.commands.on(CommandId::search_close, {.run = [this] { close(); }});
}

void SearchBar::ask_in_sql(Requests& requests) {
    if (!why_no_search_sql(session_).empty()) return;
    const Result<std::string> sql =
        query::search_sql(session_.highlight.as<TextSought>()->terms, *session_.current_timeline(), session_.device_index);
    if (sql)
        requests.ask(PutQuery{*sql, sql->size(), sql->size(), true});
    else
        session_.notice = sql.error().text();
}

namespace {

using JsonValue = nlohmann::json;

}  // namespace

void SearchBar::describe(nlohmann::json& report) const {
    JsonValue& search = report["search"];
    if (!is_open()) return;
    const Highlight& highlight = session_.highlight;
    const auto place = highlight.hits ? highlight.hits->place_of(session_.selected()) : std::nullopt;
    const bool is_found = highlight.allocations != nullptr && !highlight.is_waiting;
    search = {{"text", typed_text()},
              {"error", highlight.error()},
              {"waiting", highlight.is_waiting},
              {"place", place ? JsonValue(*place + 1) : JsonValue(nullptr)},
              {"marked_columns", session_.timeline.hit_marks.columns},
              {"stack", highlight.stack() ? JsonValue(highlight.stack()->value) : JsonValue(nullptr)},
              {"hits", is_found ? JsonValue(highlight.allocations->count()) : JsonValue(nullptr)},
              {"bytes", highlight.bytes},
              {"peak_bytes", highlight.at_peak.bytes}};
}

}  // namespace snapviewer
