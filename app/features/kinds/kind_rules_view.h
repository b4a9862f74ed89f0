#pragma once

#include <string>

#include "app/features/kinds/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Draws the editor of the user's own rules that assign kinds to allocations. `in_use` are the rules in effect; the editor
/// starts with them.
void draw_kind_rules_window(KindRulesState& state, const std::string& in_use, Requests& requests);

}  // namespace snapviewer
