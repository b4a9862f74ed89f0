#pragma once

#include "app/features/findings/findings_view.h"
#include "app/features/growth/generation_flags.h"
#include "app/features/requests.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Fills the rest of the current window with the stacks that grow from training step to training step: leaks first, the
/// largest growth first. Each has a curve of the bytes that it holds after each step. Alternatively lists the allocations
/// that were made between two flags and are still alive. A click on a row requests to highlight its allocations.
void draw_growth_view(const FindingsState& state, GenerationState& generation, const Timeline& timeline, Requests& requests);

}  // namespace snapviewer
