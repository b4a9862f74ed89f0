#include "app/features/conditions.h"
#include "app/features/search/search_as_sql.h"
#include "app/features/search/slow_search.h"

namespace snapviewer {
namespace {

bool has_hits(const AppState& state) { return state.search.emphasis && state.search.emphasis->count() > 0; }
bool can_walk(const AppState& state) { return has_hits(state) && state.search.is_open && state.focused == Pane::timeline; }

}  // namespace

void SlowSearch::connect(Switchboard& board) {
    board.commands.add({.id = "go_find",
                        .menu = Menu::tools,
                        .place = 100,
                        .words = "Find…",
                        .synonyms = "search",
                        .keys = "Ctrl+F",
                        .is_possible = has_picture,
                        .keys_while_typing = true,
                        .run = [this] { selection_.open_search(); }});
    // Enter works in the search field, too, because the field loses the keyboard focus for a frame at each Enter.
    board.commands.add({.id = "go_next_hit",
                        .menu = Menu::tools,
                        .place = 110,
                        .words = "Next hit",
                        .synonyms = "search",
                        .keys = "Enter",
                        .is_possible = can_walk,
                        .keys_while_typing = true,
                        .run = [this] { selection_.go_to_hit(true); }});
    board.commands.add({.id = "go_previous_hit",
                        .menu = Menu::tools,
                        .place = 120,
                        .words = "Previous hit",
                        .synonyms = "search",
                        .keys = "Shift+Enter",
                        .is_possible = can_walk,
                        .keys_while_typing = true,
                        .run = [this] { selection_.go_to_hit(false); }});
    board.commands.add({.id = "go_list_hits",
                        .menu = Menu::tools,
                        .place = 130,
                        .words = "Show hits in the table…",
                        .synonyms = "search",
                        .is_possible = has_hits,
                        .run = [this] { state_.table.is_open = state_.table.only_hits = true; }});
    board.commands.add({.id = "go_search_sql",
                        .menu = Menu::tools,
                        .place = 140,
                        .words = "Search as SQL",
                        .synonyms = "query",
                        .is_possible = [](const AppState& state) { return why_no_search_sql(state).empty(); },
                        .doc = why_no_search_sql,
                        .run = [this, &board] { ask_in_sql(board.requests); }});
    board.commands.add({.id = "search_close", .run = [this] { selection_.close_search(); }});
}

void SlowSearch::ask_in_sql(Requests& requests) {
    if (!why_no_search_sql(state_).empty()) return;
    const Result<std::string> sql = search_as_sql(state_);
    if (sql)
        requests.ask(PutQuery{*sql, sql->size(), sql->size(), true});
    else
        state_.notice = sql.error().text();
}
}  // namespace snapviewer
