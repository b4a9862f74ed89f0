#pragma once

#include "app/features/details/state.h"
#include "app/features/preferences.h"
#include "app/features/requests.h"

namespace snapviewer {

/// The rules for folding, the editor's command and where the sources lie here. `in_use`: what the editing begins with.
void draw_stack_rules_window(StackRulesState& state, const StackSettings& in_use, Requests& requests);

}  // namespace snapviewer
