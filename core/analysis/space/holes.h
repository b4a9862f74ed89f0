#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/space/address_space.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::space {

/// Size of the pages that the driver maps into an expandable segment, in bytes.
constexpr std::uint64_t driver_page_bytes(const RangeTraits& traits) { return (traits.is_small ? 2 : 20) * k_mib; }

/// The part of a hole in `range` that torch.cuda.empty_cache() returns to the driver: a native segment without blocks, or
/// the whole pages of an expandable one. Pages are counted from the start of the range, which need not be a multiple of
/// their size. If nothing is returned, the result is empty and lies at the end of the hole.
Hole returnable_part(const AddressRange& range, const Hole& hole);

/// Bytes of a hole in `range` that empty_cache() does not return.
inline std::uint64_t kept_bytes(const AddressRange& range, const Hole& hole) {
    return hole.size_bytes() - returnable_part(range, hole).size_bytes();
}

/// Bytes of a range that empty_cache() returns to the driver.
std::uint64_t returnable_bytes(const AddressMoment& moment, const AddressMoment::Range& range);

/// Calls `visit(Hole)`, in the order of addresses, for each free stretch of a range that empty_cache() does not return.
template <typename Visit>
void for_each_kept_hole(const AddressMoment& moment, const AddressMoment::Range& range, Visit visit) {
    for_each_hole(moment, range, [&](const Hole& hole) {
        const Hole returned = returnable_part(range.range, hole);
        if (hole.begin < returned.begin) visit(Hole{hole.begin, returned.begin});
        if (returned.end < hole.end) visit(Hole{returned.end, hole.end});
    });
}

/// A range with idle bytes that empty_cache() cannot return because of the blocks beside them. Counts only the holes that
/// remain after empty_cache().
struct PinnedRange {
    AddressRange range;
    std::uint64_t idle_bytes = 0;
    std::uint64_t largest_hole_bytes = 0;
    std::uint32_t holes = 0;
    std::uint32_t pins = 0;  ///< Number of blocks in the range
    std::uint64_t pin_bytes = 0;
    std::uint64_t released_without_pins = 0;  ///< Bytes that the driver would get back without these blocks
    std::vector<AllocationId> pinning;        ///< Allocations of the five smallest blocks
};

/// A block beside a hole that empty_cache() cannot return.
struct PinningBlock {
    AddressMoment::Block block;
    std::uint64_t range_address = 0;
    std::uint64_t hole_without_it = 0;  ///< Bytes of the block and of the holes beside it
    std::uint64_t gain_bytes = 0;       ///< `hole_without_it` less the larger of the two holes
    /// Bytes that the driver would get back without the block: the whole segment, or whole pages
    std::uint64_t released_bytes = 0;
};

/// The blocks that keep idle memory from the driver at one moment, after empty_cache().
struct Pins {
    std::vector<PinnedRange> ranges;   ///< Ranges sorted by idle bytes, descending
    std::vector<PinningBlock> blocks;  ///< Blocks sorted by released bytes, descending
};

/// Finds the blocks that pin idle memory. Empty if the file does not list the device's segments. O(live log live).
Pins pins_at(const AddressSpace& space, const AddressMoment& moment);

/// The memory of a pool at one moment, in bytes.
struct PoolHolding {
    std::string pool;  ///< Text of the pool's id, such as "(1, 2)"
    std::uint64_t reserved = 0;
    std::uint64_t idle = 0;
    std::uint64_t largest_hole = 0;
    /// Bytes in blocks, including freed blocks that other streams may still use
    std::uint64_t used() const { return reserved - idle; }
};
/// Lists the private pools, sorted by text.
std::vector<PoolHolding> private_pools_at(const AddressMoment& moment, const PoolNames& pools);

/// Idle memory in a device's reserved memory at one moment, in bytes.
struct HolesRow {
    std::uint64_t reserved = 0;     ///< Reserved memory of the default pool
    std::uint64_t idle = 0;         ///< Reserved memory of the default pool that is in no block
    std::uint64_t idle_pinned = 0;  ///< Part of `idle` that empty_cache() would not return because blocks pin it
    std::uint64_t largest_hole = 0;
    std::uint64_t idle_private = 0;  ///< Idle memory of private pools
    std::uint64_t reserved_private = 0;
    bool operator==(const HolesRow&) const = default;

    /// Returns the fragmentation: 0 if all idle memory is contiguous, or if there is none; close to 1 if it is in small
    /// pieces.
    double ratio() const { return idle == 0 ? 0.0 : 1.0 - static_cast<double>(largest_hole) / static_cast<double>(idle); }
};

/// Driver calls for more memory that happened although at least as much memory as the request lay idle in ranges that the
/// request could have used.
struct GrownDespiteIdle {
    std::uint64_t times = 0;
    std::uint64_t of_times = 0;  ///< Number of all driver calls for more memory
    std::uint64_t bytes = 0;
    std::uint64_t of_bytes = 0;
};

/// The holes of a device over its whole recording. Immutable once built.
struct HolesHistory {
    /// First moment in `rows`. If reserved memory is only known at the end, this is the last moment of the recording.
    std::uint32_t first_moment = 0;
    std::vector<HolesRow> rows;      ///< One row per moment, beginning with `first_moment`
    std::uint32_t worst_moment = 0;  ///< First moment with the largest `idle_pinned`
    /// Among the moments with the most reserved memory, the first with the least idle memory.
    std::uint32_t max_reserved_moment = 0;
    GrownDespiteIdle grown;

    const HolesRow& at(std::uint32_t moment) const { return rows[moment - first_moment]; }
};

/// Computes the holes at all moments. All rows are zero if the file does not list the device's segments. Throws a Failure
/// only when stopped. O(events log addresses): about 0.2 s and 40 MB for a million events. A range whose blocks overlap, as
/// in contradictory files, is recomputed at each of its events.
HolesHistory holes_history(const AddressSpace& space);

/// A pool of PyTorch's allocator over a recording: the default pool, or a private pool of a CUDA graph or a MemPool, which
/// other requests cannot use.
struct PoolUse {
    std::string pool;  ///< Text of the pool's id, such as "(0, 1)"
    bool is_private = false;
    /// Memory at the moment of the peak, or nullopt if the reserved memory at that moment is unknown
    std::optional<PoolHolding> at_peak;
    PoolHolding at_end;
    std::optional<std::uint32_t> made_event;  ///< First event that reserved memory for a private pool
    /// Stack of made_event, or of one of the pool's segments if the event has no stack
    StackId made_stack = StackId::none();
    std::string made_by;      ///< Source line of made_stack; empty if there is no stack
    std::string captured_by;  ///< The frame of made_stack that captures a CUDA graph; empty if no frame does
};

/// Lists all pools that ever reserved memory, sorted by name. Empty if the reserved memory is unknown. `peak_moment` is a
/// moment of AddressSpace. O(ranges + events + stacks of the private pools).
std::vector<PoolUse> pool_uses(const AddressSpace& space, const StackLines& lines, std::uint32_t peak_moment);

}  // namespace snapviewer::space
