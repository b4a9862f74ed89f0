#include "app/features/address_map/block_colours.h"

namespace snapviewer {

std::vector<std::uint32_t> block_colours(const AddressMoment& at, const AllocationColours& colours) {
    std::vector<std::uint32_t> found;
    found.reserve(at.blocks.size());
    for (const AddressMoment::Block& block : at.blocks)
        found.push_back(block.allocation.value < colours.count() ? colours.of(block.allocation) : 0);
    return found;
}

}  // namespace snapviewer
