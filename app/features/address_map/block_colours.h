#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/address_space.h"
#include "core/mesh/colour_groups.h"

namespace snapviewer {

/// Of `at.blocks`, 0xAABBGGRR; 0 where it is not known whose a block is. O(blocks).
std::vector<std::uint32_t> block_colours(const AddressMoment& at, const AllocationColours& colours);

}  // namespace snapviewer
