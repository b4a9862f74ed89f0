#pragma once

#include <string>

#include "app/features/app_state.h"
#include "app/ui/feature.h"
#include "core/analysis/kind_rules.h"

namespace snapviewer {

/// The user's own rules for kinds that the window remembers. Where they cannot be read, as after a change by hand, there are
/// none, and a notice says so. Main thread; O(text).
KindRules remembered_rules(AppState& state);

/// Remembers the rules of a text and closes their window; what is open is then to be read anew. False where a rule is wrong:
/// the window says which, and nothing else changes. Main thread; O(text).
bool use_rules(AppState& state, const std::string& text);

/// The window in which they are edited.
class OwnRules : public Feature {
public:
    /// `state` outlives this.
    explicit OwnRules(AppState& state) : state_(state) {}

    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    AppState& state_;
};

}  // namespace snapviewer
