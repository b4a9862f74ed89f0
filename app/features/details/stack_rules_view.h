#pragma once

#include "app/features/details/state.h"
#include "app/features/preferences.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Draws the window that edits the folding rules, the editor command and the source folders. `in_use` are the initial
/// values.
void draw_stack_rules_window(StackRulesState& state, const StackSettings& in_use, Requests& requests);

}  // namespace snapviewer
