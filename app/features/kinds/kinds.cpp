#include "app/features/kinds/kinds.h"

#include <nlohmann/json.hpp>

namespace snapviewer {
namespace {

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

}  // namespace

kinds::KindRules remembered_rules(AppState& state) {
    if (is_blank(state.preferences.kind_rules)) return {};
    const auto rules = kinds::KindRules::parse(state.preferences.kind_rules);
    if (rules) return *rules;
    state.notice = "The rules for kinds are not used: " + rules.error().text();
    return {};
}

bool use_rules(AppState& state, const std::string& text) {
    if (!is_blank(text)) {
        if (const auto rules = kinds::KindRules::parse(text); !rules) {
            state.kind_rules.error = rules.error().text();
            return false;
        }
    }
    state.preferences.kind_rules = is_blank(text) ? "" : text;
    state.kind_rules.error.clear();
    state.kind_rules.is_open = false;
    return true;
}

void OwnRules::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = {.id = "tools_kind_rules",
                                        .menu = Menu::panels,
                                        .place = 410,
                                        .words = "Rules for kinds…",
                                        .synonyms = "parameters gradients activations"},
                            .is_open = &state_.kind_rules.is_open,
                            .draw = [this](const Area& /*area*/, Requests& requests) {
                                draw_kind_rules_window(state_.kind_rules, state_.preferences.kind_rules, requests);
                            }});
    board.handlers.on<UseKindRules>([this, &board](const UseKindRules& asked) {
        if (!use_rules(state_, asked.text)) return;
        state_.preferences.is_changed = true;
        board.requests.ask(RunCommand{"file_reload"});
    });
}

void OwnRules::describe(nlohmann::json& report) const {
    if (!state_.kind_rules.is_open) return;
    report["kind_rules"] = {{"text", state_.kind_rules.text}, {"error", state_.kind_rules.error}};
}

}  // namespace snapviewer
