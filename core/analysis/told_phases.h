#pragma once

#include <vector>

#include "core/analysis/phases.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The phase that each event itself shows, indexed by event. EventPhases, in contrast, fills the gaps between such events.
/// The phase comes from the alloc's stack, or from the free's stack if frees have stacks of their own. If that stack shows
/// none, it comes from the innermost range of an optimizer around the event (Optimizer.step#..., Optimizer.zero_grad#...).
/// Throws a Failure only when stopped. O(events + annotations).
std::vector<Phase> find_told_phases(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases);

}  // namespace snapviewer
