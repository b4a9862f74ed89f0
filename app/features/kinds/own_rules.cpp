#include "app/features/kinds/own_rules.h"

namespace snapviewer {
namespace {

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

}  // namespace

KindRules remembered_rules(AppState& state) {
    if (is_blank(state.preferences.kind_rules)) return {};
    const auto rules = KindRules::parse(state.preferences.kind_rules);
    if (rules) return *rules;
    state.notice = "The rules for kinds are not used: " + rules.error().text();
    return {};
}

bool use_rules(AppState& state, const std::string& text) {
    if (!is_blank(text)) {
        if (const auto rules = KindRules::parse(text); !rules) {
            state.kind_rules.error = rules.error().text();
            return false;
        }
    }
    state.preferences.kind_rules = is_blank(text) ? "" : text;
    state.kind_rules.error.clear();
    state.kind_rules.is_open = false;
    return true;
}

}  // namespace snapviewer
