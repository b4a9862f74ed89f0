#pragma once

#include <cstddef>
#include <vector>

#include "app/features/findings/capacity_part.h"
#include "core/analysis/pool_use.h"

namespace snapviewer {

/// The private pools that have memory at the end, those with most first, at most so many as there is room for.
std::vector<const PoolUse*> pools_to_show(const std::vector<PoolUse>& uses);

/// What is used and what is idle of one at the end.
std::vector<CapacityPart> pool_parts(const PoolUse& use);

/// A bar for each of these pools, the largest as wide as there is room, with who made it.
void draw_pools_card(const std::vector<PoolUse>& uses);

}  // namespace snapviewer
