#include <nlohmann/json.hpp>

#include "app/features/kinds/kind_rules_view.h"
#include "app/features/kinds/own_rules.h"

namespace snapviewer {

void OwnRules::connect(Switchboard& board) {
    board.commands.add({.id = "tools_kind_rules",
                        .menu = Menu::panels,
                        .place = 410,
                        .words = "Rules for kinds…",
                        .synonyms = "parameters gradients activations",
                        .run = [this] { state_.open_window(state_.kind_rules.is_open); }});
    board.handlers.on<UseKindRules>([this, &board](const UseKindRules& asked) {
        if (!use_rules(state_, asked.text)) return;
        state_.preferences.is_changed = true;
        board.requests.ask(RunCommand{"file_reload"});
    });
}

void OwnRules::draw(Requests& requests) {
    draw_kind_rules_window(state_.kind_rules, state_.preferences.kind_rules, requests);
}

void OwnRules::describe(nlohmann::json& report) const {
    if (!state_.kind_rules.is_open) return;
    report["kind_rules"] = {{"text", state_.kind_rules.text}, {"error", state_.kind_rules.error}};
}

}  // namespace snapviewer
