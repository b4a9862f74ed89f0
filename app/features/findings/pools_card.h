#pragma once

#include <cstddef>
#include <vector>

#include "app/features/findings/capacity_part.h"
#include "core/analysis/space/pool_use.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The private pools with the most reserved memory at the end of the recording, largest first; at most 12.
std::vector<const PoolUse*> pools_to_show(const std::vector<PoolUse>& uses);

/// The used and the idle bytes of `use` at the end of the recording. Parts of 0 bytes are omitted.
std::vector<CapacityPart> pool_parts(const PoolUse& use);

/// Draws a bar for each of pools_to_show(), in proportion to the largest, with the source line that created the pool. The
/// tooltip contains the peak only if the recording shows one.
void draw_pools_card(const std::vector<PoolUse>& uses, const Timeline& timeline);

}  // namespace snapviewer
