#pragma once

#include <vector>

#include "core/analysis/phases.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// What each event itself tells of the work it lies in, while EventPhases fills the gaps between those that do: the phase of
/// the alloc's stack, or of the free's where frees have stacks of their own; where these tell none, that of the innermost
/// range of an optimizer (Optimizer.step#..., Optimizer.zero_grad#...) around it. By event. Throws a Failure only when
/// stopped. O(events + annotations).
std::vector<Phase> find_told_phases(const Timeline& timeline, const StackPhases& stacks, const EventPhases& phases);

}  // namespace snapviewer
