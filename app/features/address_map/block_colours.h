#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/space/address_space.h"
#include "core/mesh/colour_groups.h"

namespace snapviewer {

/// The colours of `at.blocks` as 0xAABBGGRR; 0 for a block whose allocation is unknown. O(blocks).
std::vector<std::uint32_t> block_colours(const AddressMoment& at, const AllocationColours& colours);

}  // namespace snapviewer
