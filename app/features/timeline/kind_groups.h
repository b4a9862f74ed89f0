#pragma once

#include "core/analysis/kinds.h"
#include "core/mesh/colour_groups.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The allocations of a device by what they are for. What is unknown comes first and is listed in any case, then what is
/// from before the recording; without `kinds`, which may be null while they are worked out, all is unknown. O(allocations).
ColourGroups kind_groups(const Timeline& timeline, const Kinds* kinds);

}  // namespace snapviewer
