#pragma once

#include "core/analysis/kinds.h"
#include "core/mesh/colour_groups.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The allocations of a device by what they are for. What is unknown comes first and is listed in any case; without `kinds`,
/// which may be null while they are worked out, that is everything. O(allocations).
ColourGroups kind_groups(const Timeline& timeline, const Kinds* kinds);

}  // namespace snapviewer
