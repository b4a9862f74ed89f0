#include <nlohmann/json.hpp>

#include "app/features/details/source_code.h"
#include "app/features/details/stack_rules_view.h"

namespace snapviewer {

void SourceCode::connect(Switchboard& board) {
    board.commands.add({.id = "tools_stack_rules",
                        .menu = Menu::panels,
                        .place = 420,
                        .words = "Stacks and editor…",
                        .synonyms = "source code",
                        .run = [this] { state_.open_window(state_.stack_rules.is_open); }});
    board.handlers.on<OpenSource>([this](const OpenSource& asked) { open(asked.place); });
    board.handlers.on<UseStackRules>([this](const UseStackRules& asked) {
        if (use(asked.settings)) state_.preferences.is_changed = true;
    });
}

void SourceCode::draw(Requests& requests) {
    draw_stack_rules_window(state_.stack_rules, state_.preferences.stacks, requests);
}

void SourceCode::describe(nlohmann::json& report) const {
    if (!state_.stack_rules.is_open) return;
    const StackSettings& edited = state_.stack_rules.edited.settings;
    report["stack_rules"] = {{"rules", edited.frame_rules},
                             {"editor", edited.editor_command},
                             {"folders", edited.source_folders},
                             {"error", state_.stack_rules.error}};
}

}  // namespace snapviewer
