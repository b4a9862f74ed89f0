#pragma once

#include <string>

#include "app/features/preferences.h"
#include "app/features/requests.h"

namespace snapviewer {

/// What is being edited of how stacks are shown.
struct StackRulesState {
    UseStackRules edited;
    std::string error;  ///< what is wrong with what was to be used last
    bool was_open = false;
};

/// The rules for folding, the editor's command and where the sources lie here. `in_use`: what the editing begins with.
void draw_stack_rules_window(StackRulesState& state, bool& is_open, const StackSettings& in_use, Requests& requests);

}  // namespace snapviewer
