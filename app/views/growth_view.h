#pragma once

#include "app/state/requests.h"
#include "app/views/findings_view.h"

namespace snapviewer {

/// The rest of the current window: what grows from training step to training step, most grown first, each with what it holds
/// after each step as a curve. A click on a row asks for its allocations to stand out.
void draw_growth_view(const FindingsState& state, Requests& requests);

}  // namespace snapviewer
