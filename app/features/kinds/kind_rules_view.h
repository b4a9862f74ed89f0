#pragma once

#include <string>

#include "app/features/kinds/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// The user's own rules for what allocations are for, to be edited. `in_use`: what the editing begins with.
void draw_kind_rules_window(KindRulesState& state, const std::string& in_use, Requests& requests);

}  // namespace snapviewer
