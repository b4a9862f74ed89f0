#include "app/features/conditions.h"
#include "app/features/navigation/view_history.h"
#include "app/features/reports/icicle_zoom.h"

namespace snapviewer {
namespace {

bool can_go_back(const AppState& state) {
    // with an icicle on the screen, going back clears its selection or leaves it
    if (state.shown_icicle() != nullptr) return true;
    return state.views_before > 0;
}
bool can_go_forward(const AppState& state) { return shows_timeline(state) && state.views_after > 0; }

}  // namespace

void ViewHistory::connect(Switchboard& board) {
    board.commands.add({.id = "view_back",
                        .menu = Menu::view,
                        .place = 140,
                        .words = "Previous view",
                        .synonyms = "undo zoom back",
                        .keys = "Backspace",
                        .is_possible = can_go_back,
                        .run = [this, &board] { go_back(board.requests); }});
    board.commands.add({.id = "view_forward",
                        .menu = Menu::view,
                        .place = 150,
                        .words = "Next view",
                        .synonyms = "redo zoom forward",
                        .keys = "Shift+Backspace",
                        .is_possible = can_go_forward,
                        .run = [this] { go(false); }});
}

/// In an icicle, goes back in this order: undoes the zoom, clears the selection, leaves the icicle.
void ViewHistory::go_back(Requests& requests) {
    const Icicle* icicle = state_.shown_icicle();
    if (icicle == nullptr) return go(true);
    if (zoom_icicle_out(state_.shown_icicle_view(), *icicle)) return;
    const bool is_selected = state_.shown_icicle_view().selected.has_value();
    requests.ask(RunCommand{is_selected ? "selection_clear" : "callers_leave"});
}

}  // namespace snapviewer
