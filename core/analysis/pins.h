#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/address_space.h"

namespace snapviewer {

/// Size of the pages that the driver maps into an expandable segment.
constexpr std::uint64_t driver_page_bytes(const RangeTraits& traits) { return (traits.is_small ? 2 : 20) * k_mib; }

/// The part of a hole in `range` that torch.cuda.empty_cache() returns to the driver: a native segment without blocks, or
/// the whole pages of an expandable one. Pages are counted from the start of the range, which need not be a multiple of
/// their size. Empty and at the end of the hole if nothing is returned.
Hole returnable_part(const AddressRange& range, const Hole& hole);

/// Bytes of a hole in `range` that empty_cache() does not return.
inline std::uint64_t kept_bytes(const AddressRange& range, const Hole& hole) {
    return hole.size_bytes() - returnable_part(range, hole).size_bytes();
}

/// Bytes that empty_cache() returns of a range.
std::uint64_t returnable_bytes(const AddressMoment& moment, const AddressMoment::Range& range);

/// Calls `visit(Hole)` for each free stretch of a range that empty_cache() leaves, by address.
template <typename Visit>
void for_each_kept_hole(const AddressMoment& moment, const AddressMoment::Range& range, Visit visit) {
    for_each_hole(moment, range, [&](const Hole& hole) {
        const Hole returned = returnable_part(range.range, hole);
        if (hole.begin < returned.begin) visit(Hole{hole.begin, returned.begin});
        if (returned.end < hole.end) visit(Hole{returned.end, hole.end});
    });
}

/// A range with idle bytes that empty_cache() leaves because of the blocks beside them. Only holes that it leaves count.
struct PinnedRange {
    AddressRange range;
    std::uint64_t idle_bytes = 0;
    std::uint64_t largest_hole_bytes = 0;
    std::uint32_t holes = 0;
    std::uint32_t pins = 0;  ///< number of blocks in the range
    std::uint64_t pin_bytes = 0;
    std::uint64_t released_without_pins = 0;  ///< bytes that the driver would get back without these blocks
    std::vector<AllocationId> pinning;        ///< allocations of the five smallest blocks
};

/// A block beside a hole that empty_cache() leaves.
struct PinningBlock {
    AddressMoment::Block block;
    std::uint64_t range_address = 0;
    std::uint64_t hole_without_it = 0;  ///< bytes of the block and of the holes beside it
    std::uint64_t gain_bytes = 0;       ///< `hole_without_it` less the larger of the two holes
    std::uint64_t released_bytes = 0;   ///< bytes that the driver would get back: the whole segment, or whole pages
};

/// The blocks that keep idle memory from the driver at one moment, after empty_cache().
struct Pins {
    std::vector<PinnedRange> ranges;   ///< sorted by idle bytes, descending
    std::vector<PinningBlock> blocks;  ///< sorted by released bytes, descending
};

/// Empty if the file does not list the device's segments. O(live log live).
Pins pins_at(const AddressSpace& space, const AddressMoment& moment);

/// The memory of a private pool at one moment.
struct PrivatePool {
    std::string pool;  ///< "(1, 2)"
    std::uint64_t reserved_bytes = 0;
    std::uint64_t active_bytes = 0;
    std::uint64_t idle_bytes = 0;
    std::uint64_t largest_hole_bytes = 0;
};
std::vector<PrivatePool> private_pools_at(const AddressMoment& moment, const PoolNames& pools);

}  // namespace snapviewer
