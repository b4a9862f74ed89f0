#include "app/features/help/help.h"

#include <nlohmann/json.hpp>

namespace snapviewer {

void Help::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::help_keys,
                            .is_open = &session_.help.shows_keys,
                            .draw = [this](const Area& /*area*/, Requests& /*requests*/) {
                                draw_keys_window(commands_, session_.help.shows_keys, session_);
                            }});
    board.docked.push_back(
        {.dock = Dock::window,
         .command = CommandId::help_about,
         .is_open = &session_.help.shows_about,
         .draw = [this](const Area& /*area*/, Requests& /*requests*/) { draw_about_window(session_.help.shows_about); }});
}

/// Reports the list of actions while the window with the shortcuts is open, else null.
void Help::describe(nlohmann::json& report) const {
    report["actions"] = nullptr;
    if (!session_.help.shows_keys) return;
    nlohmann::json actions = nlohmann::json::array();
    for (const Command& command : commands_.in_menus()) {
        actions.push_back({{"id", command.name},
                           {"menu", menu_title(command.menu)},
                           {"place", static_cast<int>(command.id)},
                           {"words", command.words_now(session_)},
                           {"keys", command.keys},
                           {"is_possible", command.can_run(session_)}});
    }
    report["actions"] = std::move(actions);
}

}  // namespace snapviewer
