#include "app/features/help/help.h"

#include <nlohmann/json.hpp>

namespace snapviewer {

void Help::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = {.id = "help_keys",
                                        .menu = Menu::help,
                                        .place = 100,
                                        .words = "Keyboard and mouse",
                                        .synonyms = "shortcuts",
                                        .keys = "F1",
                                        .keys_while_typing = true},
                            .is_open = &session_.help.shows_keys,
                            .draw = [this](const Area& /*area*/, Requests& /*requests*/) {
                                draw_keys_window(commands_, session_.help.shows_keys, session_);
                            }});
    board.docked.push_back(
        {.dock = Dock::window,
         .command = {.id = "help_about", .menu = Menu::help, .place = 110, .words = "About", .synonyms = "version licence"},
         .is_open = &session_.help.shows_about,
         .draw = [this](const Area& /*area*/, Requests& /*requests*/) { draw_about_window(session_.help.shows_about); }});
}

/// Reports the list of actions while the window with the shortcuts is open, else null.
void Help::describe(nlohmann::json& report) const {
    report["actions"] = nullptr;
    if (!session_.help.shows_keys) return;
    nlohmann::json actions = nlohmann::json::array();
    for (const Command& command : commands_.in_menus()) {
        actions.push_back({{"id", command.id},
                           {"menu", menu_title(command.menu)},
                           {"place", command.place},
                           {"words", command.words_now(session_)},
                           {"keys", command.keys},
                           {"is_possible", command.can_run(session_)}});
    }
    report["actions"] = std::move(actions);
}

}  // namespace snapviewer
