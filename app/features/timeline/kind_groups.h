#pragma once

#include "core/analysis/kinds/kinds.h"
#include "core/mesh/colour_groups.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Groups the allocations of a device by their kind. The first group is always the unknown ones, even if it is empty; next
/// are those from before the recording. `kinds` may be null while they are being computed; then all are unknown.
/// O(allocations).
ColourGroups kind_groups(const Timeline& timeline, const Kinds* kinds);

}  // namespace snapviewer
