#include <algorithm>

#include "app/features/conditions.h"
#include "app/features/query/queries.h"
#include "app/features/query/query_input.h"

namespace snapviewer {
namespace {

bool can_run_query(const AppState& state) { return has_document(state) && state.preferences.show_query; }
bool has_query_text(const AppState& state) { return can_run_query(state) && !state.query.sql.empty(); }
bool has_several_query_tabs(const AppState& state) { return can_run_query(state) && state.query.tabs.size() > 1; }

}  // namespace

void Queries::connect_running(Switchboard& board) {
    Commands& commands = board.commands;
    commands.add({.id = "query_run",
                  .menu = Menu::query,
                  .place = 100,
                  .words = "Run statement at the cursor",
                  .synonyms = "execute sql",
                  .keys = "Ctrl+Enter",
                  .is_possible = has_query_text,
                  .keys_while_typing = true,
                  .run = [this] { run(false); }});
    commands.add({.id = "query_run_all",
                  .menu = Menu::query,
                  .place = 110,
                  .words = "Run all statements",
                  .synonyms = "execute sql",
                  .keys = "Ctrl+Shift+Enter",
                  .is_possible = has_query_text,
                  .keys_while_typing = true,
                  .run = [this] { run(true); }});
    commands.add({.id = "query_stop",
                  .menu = Menu::query,
                  .place = 120,
                  .words = "Stop query",
                  .synonyms = "cancel",
                  .keys = "Esc",
                  .is_possible = [](const AppState& state) { return state.query.is_running; },
                  .keys_while_typing = true,
                  .run = [this] { stop(); }});
    commands.add({.id = "query_save",
                  .menu = Menu::query,
                  .place = 200,
                  .words = "Save or unsave query",
                  .synonyms = "star favourite",
                  .keys = "Ctrl+D",
                  .is_possible = has_query_text,
                  .keys_while_typing = true,
                  .run = [this] { star(pane_.sql); }});
    commands.add({.id = "query_more_rows", .run = [this] { run_for_more(); }});
    board.handlers.on<SaveRows>([this](const SaveRows& asked) { save(asked.path, asked.format); });
    board.handlers.on<PutQuery>([this](const PutQuery& asked) { put(asked); });
    board.handlers.on<StarQuery>([this](const StarQuery& asked) { star(asked.sql); });
}

void Queries::connect_tabs(Switchboard& board) {
    Commands& commands = board.commands;
    commands.add({.id = "query_new_tab",
                  .menu = Menu::query,
                  .place = 210,
                  .words = "New query tab",
                  .keys = "Ctrl+Shift+T",
                  .is_possible = has_document,
                  .keys_while_typing = true,
                  .run = [this] { open_tab(); }});
    commands.add({.id = "query_next_tab",
                  .menu = Menu::query,
                  .place = 220,
                  .words = "Next query tab",
                  .keys = "Ctrl+Shift+J",
                  .is_possible = has_several_query_tabs,
                  .keys_while_typing = true,
                  .run = [this] { show_query_tab(pane_, (pane_.front + 1) % pane_.tabs.size()); }});
    commands.add({.id = "query_close_tab",
                  .menu = Menu::query,
                  .place = 230,
                  .words = "Close query tab",
                  .keys = "Ctrl+Shift+W",
                  .is_possible = has_several_query_tabs,
                  .keys_while_typing = true,
                  .run = [this] { close_tab(pane_.front); }});
    board.handlers.on<ShowQueryTab>([this](const ShowQueryTab& asked) { show_query_tab(pane_, asked.index); });
    board.handlers.on<CloseQueryTab>([this](const CloseQueryTab& asked) { close_tab(asked.index); });
}

void Queries::connect(Switchboard& board) {
    board.commands.add({.id = "view_query",
                        .menu = Menu::panels,
                        .place = 210,
                        .words = "Query pane",
                        .synonyms = "sql console",
                        .keys = "Ctrl+J",
                        .is_possible = has_document,
                        .is_on = [](const AppState& state) { return state.preferences.show_query; },
                        .keys_while_typing = true,
                        .run =
                            [this] {
                                settings_.show_query = !settings_.show_query;
                                state_.focus_next = settings_.show_query ? Pane::query : Pane::timeline;
                            }});
    connect_running(board);
    connect_tabs(board);
}

void Queries::put(const PutQuery& asked) {
    settings_.show_query = true;
    state_.focus_next = Pane::query;
    put_query(pane_, asked.sql, static_cast<int>(asked.select_begin), static_cast<int>(asked.select_end));
    if (asked.is_complete) run(true);
}

void Queries::open_tab() {
    settings_.show_query = true;
    pane_.is_open = true;
    state_.focus_next = Pane::query;
    add_query_tab(pane_);
}

void Queries::star(const std::string& sql) {
    const bool was_saved = std::ranges::find(settings_.saved_queries, sql) != settings_.saved_queries.end();
    star_query(settings_, sql, !was_saved);
    state_.toasts.say(was_saved ? "Query removed from the saved ones" : "Query saved");
    settings_.is_changed = true;
}

}  // namespace snapviewer
