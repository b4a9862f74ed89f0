#include "app/features/conditions.h"
#include "app/features/timeline/block_names.h"

namespace snapviewer {

void BlockNames::connect(Switchboard& board) {
    board.commands.add({.id = "view_names",
                        .menu = Menu::picture,
                        .place = 120,
                        .words = "Names in blocks",
                        .synonyms = "labels",
                        .keys = "B",
                        .is_possible = has_picture,
                        .is_on = [](const AppState& state) { return state.preferences.show_names; },
                        .run = [this] { state_.preferences.show_names = !state_.preferences.show_names; }});
}

}  // namespace snapviewer
