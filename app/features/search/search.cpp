#include "app/features/search/search.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <utility>

#include "app/features/emphasis.h"
#include "app/features/session.h"
#include "app/ui/sandboxed.h"
#include "core/query/search_sql.h"

namespace snapviewer {

bool SlowSearch::is_asked(const Timeline* timeline) const {
    return timeline_ != nullptr && timeline == timeline_.get() && session_.search.as<TextSought>()->text == text_;
}

void SlowSearch::update() {
    const Timeline* timeline = session_.current_timeline();
    if (!session_.search.is_waiting || timeline == nullptr) {
        finding_.discard();
        timeline_.reset();
    } else if (!is_asked(timeline)) {
        timeline_ = session_.devices[session_.device_index].current().made.timeline;
        text_ = session_.search.as<TextSought>()->text;
        finding_.start([timeline = timeline_, terms = session_.search.terms](Progress&) {
            enter_sandbox_here({});
            return find_terms(*timeline, terms);
        });
    }
    std::optional<Emphasis> found = finding_.take();
    if (!found || timeline_ == nullptr) return;
    show_found(session_.search, *timeline_, *std::move(found));
    timeline_.reset();
}

std::string why_no_search_sql(const Session& session) {
    const SearchState& search = session.search;
    if (!search.error.empty()) return "Not as SQL: " + search.error;
    if (session.current_timeline() == nullptr || search.terms.empty()) return "Only a typed search can be shown as SQL";
    if (session.current_kind() != ViewKind::allocations)
        return "The tables are about allocations; switch to them first (Picture > Allocations)";
    return {};
}

Result<std::string> search_as_sql(const Session& session) {
    return query::search_sql(session.search.terms, *session.current_timeline(), session.device_index);
}

namespace {

bool has_hits(const Session& session) { return session.search.emphasis && session.search.emphasis->count() > 0; }
bool can_walk(const Session& session) {
    return has_hits(session) && session.search.is_open && session.focused == Pane::timeline;
}

}  // namespace

void SlowSearch::connect(Switchboard& board) {
    board.commands.on(CommandId::go_find, {.is_possible = has_picture, .run = [this] { selection_.open_search(); }});
    // Enter works in the search field, too, because the field loses the keyboard focus for a frame at each Enter.
    board.commands.on(CommandId::go_next_hit, {.is_possible = can_walk, .run = [this] { selection_.go_to_hit(true); }});
    board.commands.on(CommandId::go_previous_hit, {.is_possible = can_walk, .run = [this] { selection_.go_to_hit(false); }});
    board.commands.on(CommandId::go_search_sql,
                      {.is_possible = [](const Session& session) { return why_no_search_sql(session).empty(); },
                       .doc = why_no_search_sql,
                       .run = [this, &board] { ask_in_sql(board.requests); }});
    board.commands.on(CommandId::search_close, {.run = [this] { selection_.close_search(); }});
}

void SlowSearch::ask_in_sql(Requests& requests) {
    if (!why_no_search_sql(session_).empty()) return;
    const Result<std::string> sql = search_as_sql(session_);
    if (sql)
        requests.ask(PutQuery{*sql, sql->size(), sql->size(), true});
    else
        session_.notice = sql.error().text();
}
namespace {

using JsonValue = nlohmann::json;

JsonValue search_report(const Session& session) {
    const SearchState& search = session.search;
    if (!search.is_open) return nullptr;
    const auto place = search.hits ? search.hits->place_of(session.selected()) : std::nullopt;
    return {{"text", search.text},
            {"error", search.error},
            {"waiting", search.is_waiting},
            {"place", place ? JsonValue(*place + 1) : JsonValue(nullptr)},
            {"marked_columns", session.timeline.hit_marks.columns},
            {"stack", search.stack() ? JsonValue(search.stack()->value) : JsonValue(nullptr)},
            {"hits", search.emphasis && !search.is_waiting ? JsonValue(search.emphasis->count()) : JsonValue(nullptr)},
            {"bytes", search.bytes},
            {"peak_bytes", search.at_peak.bytes}};
}

}  // namespace

void SlowSearch::describe(nlohmann::json& report) const { report["search"] = search_report(session_); }

}  // namespace snapviewer
