#pragma once

#include <string>

#include "app/features/kinds/state.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/analysis/kinds/kinds.h"

namespace snapviewer {

/// Returns the user's kind rules from the preferences. If they do not parse, as after an edit by hand, returns no rules and
/// shows a notice. Main thread; O(length of the text).
kinds::KindRules remembered_rules(Session& session);

/// Stores the rules of `text` in the preferences and closes the editor; the caller must then reload the open file. If a
/// rule is invalid, returns false, shows the error in the editor and changes nothing else. Main thread; O(length of the
/// text).
bool use_rules(Session& session, const std::string& text);

/// The window in which the user edits kind rules.
class OwnRules : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit OwnRules(Session& session) : session_(session) {}

    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    Session& session_;
};

/// Draws the editor of the user's own rules that assign kinds to allocations. `in_use` are the rules in effect; the editor
/// starts with them.
void draw_kind_rules_window(KindRulesState& state, const std::string& in_use, Requests& requests);

}  // namespace snapviewer
