#include "app/features/conditions.h"
#include "app/features/selection/marker_walk.h"

namespace snapviewer {
namespace {

bool has_markers(const AppState& state) {
    for (std::size_t i = 0; i < state.devices.size(); ++i) {
        if (!state.overlays_of_device(i).markers.empty()) return true;
    }
    return false;
}

}  // namespace

void MarkerWalk::connect(Switchboard& board) {
    board.commands.add({.id = "go_peak",
                        .menu = Menu::view,
                        .place = 200,
                        .words = "Go to peak",
                        .synonyms = "maximum highest",
                        .keys = "P",
                        .is_possible = shows_timeline,
                        .run = [this] { go_to_peak(); }});
    board.commands.add({.id = "go_next_marker",
                        .menu = Menu::view,
                        .place = 210,
                        .words = "Next marker",
                        .keys = "N",
                        .is_possible = has_markers,
                        .run = [this] { go_to_next(true); }});
    board.commands.add({.id = "go_previous_marker",
                        .menu = Menu::view,
                        .place = 220,
                        .words = "Previous marker",
                        .keys = "Shift+N",
                        .is_possible = has_markers,
                        .run = [this] { go_to_next(false); }});
    board.handlers.on<SelectMarker>([this](const SelectMarker& asked) { select(asked.index); });
    board.handlers.on<GoToMarker>([this](const GoToMarker& asked) { go_to(asked.index); });
}

}  // namespace snapviewer
