#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/address_space.h"

namespace snapviewer {

/// Pages that the driver maps at once into an expandable segment.
constexpr std::uint64_t driver_page_bytes(const RangeTraits& traits) { return (traits.is_small ? 2 : 20) * k_mib; }
/// How much of [begin, end) is whole pages.
std::uint64_t whole_pages(std::uint64_t begin, std::uint64_t end, std::uint64_t unit_bytes);

/// What the driver would get back of a range as it is: all of one without blocks, whole pages of an expandable one.
std::uint64_t returnable_bytes(const AddressMoment& moment, const AddressMoment::Range& range);

/// A range with idle bytes that blocks keep from the driver.
struct PinnedRange {
    AddressRange range;
    std::uint64_t idle_bytes = 0;
    std::uint64_t largest_hole_bytes = 0;
    std::uint32_t holes = 0;
    std::uint32_t pins = 0;  ///< blocks in it
    std::uint64_t pin_bytes = 0;
    std::uint64_t released_without_pins = 0;  ///< bytes that the driver would get back
    std::vector<AllocationId> pinning;        ///< the five smallest blocks' allocations
};

/// A block beside a hole.
struct PinningBlock {
    AddressMoment::Block block;
    std::uint64_t range_address = 0;
    std::uint64_t hole_without_it = 0;  ///< bytes of the one hole there would be
    std::uint64_t gain_bytes = 0;       ///< of that, more than the larger of the two there are
    std::uint64_t released_bytes = 0;   ///< that the driver would get back: the whole segment, or whole pages
};

/// What keeps reserved memory from the driver at one moment.
struct Pins {
    std::vector<PinnedRange> ranges;   ///< most idle bytes first
    std::vector<PinningBlock> blocks;  ///< most released bytes first
};

/// O(live log live).
Pins pins_at(const AddressMoment& moment);

/// What the private pools of a device hold at one moment.
struct PrivatePool {
    std::string pool;  ///< "(1, 2)"
    std::uint64_t reserved_bytes = 0;
    std::uint64_t active_bytes = 0;
    std::uint64_t idle_bytes = 0;
    std::uint64_t largest_hole_bytes = 0;
};
std::vector<PrivatePool> private_pools_at(const AddressMoment& moment, const PoolNames& pools);

}  // namespace snapviewer
