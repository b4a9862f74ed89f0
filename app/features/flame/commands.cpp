#include "app/features/conditions.h"
#include "app/features/flame/flame_graphs.h"

namespace snapviewer {
namespace {

bool has_selected_call(const AppState& state) {
    if (!state.shows_flame_graph() || !has_selected_node(state)) return false;
    return state.shown_icicle()->nodes[*state.icicle.views[*state.icicle.shown].selected].is_call();
}

}  // namespace

void FlameGraphs::connect(Switchboard& board) {
    board.commands.add({.id = "view_flame",
                        .menu = Menu::picture,
                        .place = 300,
                        .words = "Flame graph",
                        .synonyms = "icicle stacks",
                        .keys = "G",
                        .is_possible = has_picture,
                        .is_on = [](const AppState& state) { return state.shows_flame_graph(); },
                        .run = [this] { toggle(); }});
    board.commands.add({.id = "view_callers",
                        .menu = Menu::picture,
                        .place = 310,
                        .words = "Callers and callees",
                        .keys = "C",
                        .is_possible = has_selected_call,
                        .run = [this] { show_callers_of_selected(); }});
    board.commands.add({.id = "callers_leave", .run = [this] { leave_callers(); }});
    board.commands.add({.id = "folded_copy", .run = [this] { save_folded(""); }});
    board.handlers.on<ShowCallers>([this](const ShowCallers& asked) { show_callers(asked.node); });
    board.handlers.on<SaveFolded>([this](const SaveFolded& asked) { save_folded(asked.path); });
}

void FlameGraphs::leave() { state_.flame = FlameState{}; }

}  // namespace snapviewer
