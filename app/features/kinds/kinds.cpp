#include "app/features/kinds/kinds.h"

#include <nlohmann/json.hpp>

namespace snapviewer {
namespace {

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

}  // namespace

kinds::KindRules remembered_rules(Session& session) {
    if (is_blank(session.preferences.kind_rules)) return {};
    const auto rules = kinds::KindRules::parse(session.preferences.kind_rules);
    if (rules) return *rules;
    session.notice = "The rules for kinds are not used: " + rules.error().text();
    return {};
}

bool use_rules(Session& session, const std::string& text) {
    if (!is_blank(text)) {
        if (const auto rules = kinds::KindRules::parse(text); !rules) {
            session.kind_rules.error = rules.error().text();
            return false;
        }
    }
    session.preferences.kind_rules = is_blank(text) ? "" : text;
    session.kind_rules.error.clear();
    session.kind_rules.is_open = false;
    return true;
}

void OwnRules::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::tools_kind_rules,
                            .is_open = &session_.kind_rules.is_open,
                            .draw = [this](const Area& /*area*/, Requests& requests) {
                                draw_kind_rules_window(session_.kind_rules, session_.preferences.kind_rules, requests);
                            }});
    board.handlers.on<UseKindRules>([this, &board](const UseKindRules& asked) {
        if (!use_rules(session_, asked.text)) return;
        session_.preferences.needs_saving = true;
        board.requests.ask(RunCommand{CommandId::file_reload});
    });
}

void OwnRules::describe(nlohmann::json& report) const {
    if (!session_.kind_rules.is_open) return;
    report["kind_rules"] = {{"text", session_.kind_rules.text}, {"error", session_.kind_rules.error}};
}

}  // namespace snapviewer
