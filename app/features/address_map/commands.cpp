#include "app/features/address_map/address_maps.h"
#include "app/features/conditions.h"

namespace snapviewer {

void AddressMaps::connect(Switchboard& board) {
    board.commands.add({.id = "view_address_map",
                        .menu = Menu::panels,
                        .place = 200,
                        .words = "Address map",
                        .synonyms = "fragmentation holes segments",
                        .keys = "M",
                        .is_possible = has_picture,
                        .is_on = [](const AppState& state) { return state.shows_address_map(); },
                        .run = [this] { show(!state_.shows_address_map()); }});
}

}  // namespace snapviewer
