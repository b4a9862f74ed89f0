#pragma once

#include <string>

#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/analysis/kinds/kinds.h"

namespace snapviewer::kinds {

/// Returns the user's kind rules from the preferences. If they do not parse, as after an edit by hand, returns no rules and
/// shows a notice. Main thread; O(length of the text).
KindRules remembered_rules(Session& session);

/// The window in which the user edits the rules that assign kinds to allocations. The editor starts with the rules in
/// effect. Main thread.
class OwnRules : public Feature {
public:
    /// Keeps a reference, which must outlive this object.
    explicit OwnRules(Session& session) : session_(session) {}

    void connect(Switchboard& board) override;
    const bool& is_open() const { return is_open_; }
    /// The text in the editor.
    const std::string& text() const { return text_; }
    /// The reason why the last text that the user tried to apply is invalid; empty if it is valid.
    const std::string& error() const { return error_; }

private:
    void draw(Requests& requests);
    void draw_buttons(Requests& requests);
    /// Stores the rules of the editor in the preferences, closes the window, and reloads the open file with them. If a rule
    /// is invalid, shows the error in the window instead.
    void use(Requests& requests);

    Session& session_;
    bool is_open_ = false, was_open_ = false;
    std::string text_, error_;
};

}  // namespace snapviewer::kinds
