#pragma once

#include "app/features/findings/findings_view.h"
#include "app/features/growth/generation_flags.h"
#include "app/features/requests.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The rest of the current window: what grows from training step to training step, most grown first, each with what it holds
/// after each step as a curve; or what was born between two flags and still lives. A click on a row asks for its allocations
/// to stand out.
void draw_growth_view(const FindingsState& state, GenerationState& generation, const Timeline& timeline, Requests& requests);

}  // namespace snapviewer
