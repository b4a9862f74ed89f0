#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/trace/allocator_rules.h"

namespace snapviewer {

/// All distinct addresses at which a range or a block of a device ever begins, in ascending order. The index of an address,
/// its rank, replaces the address as a key: data about an address is an array element, and the neighbouring addresses have
/// the neighbouring ranks. Immutable. Construction takes O(events + distinct log distinct).
class AddressRanks {
public:
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;

    AddressRanks(const Snapshot& snapshot, const DeviceTrace& trace);

    std::size_t size() const { return addresses_.size(); }
    std::uint64_t address(std::uint32_t rank) const { return addresses_[rank]; }
    /// Returns the rank of an event's address, or k_none for an event that is not about memory.
    std::uint32_t of_event(std::size_t event) const { return event_ranks_[event]; }
    /// Returns the rank of `address`, or k_none if nothing ever begins at it. O(log addresses).
    std::uint32_t find(std::uint64_t address) const;

private:
    std::vector<std::uint64_t> addresses_;
    std::vector<std::uint32_t> event_ranks_;
};

/// Returns the exclusive end of `size_bytes` bytes at `address`, limited to UINT64_MAX instead of overflowing.
constexpr std::uint64_t end_address(std::uint64_t address, std::uint64_t size_bytes) {
    return size_bytes > UINT64_MAX - address ? UINT64_MAX : address + size_bytes;
}

/// Calls `visit(address, block)` for each block of a device's segments, in file order. Blocks follow each other from the
/// begin of their segment.
template <typename Visit>
void for_each_final_block(const Snapshot& snapshot, const DeviceTrace& trace, Visit visit) {
    for (const Segment& segment : snapshot.segments) {
        check_stop();
        if (segment.device != trace.device) continue;
        std::uint64_t address = segment.address;
        for (std::uint32_t i = 0; i < segment.block_count; ++i) {
            const Block& block = snapshot.blocks[segment.first_block + i];
            visit(address, block);
            address = end_address(address, block.size_bytes);
        }
    }
}

/// Properties that address ranges must share to be merged, and that a range and a request must share for the range to serve
/// the request.
struct RangeTraits {
    std::uint16_t stream = 0;        ///< Index into `Snapshot::streams`
    std::uint16_t pool = k_no_pool;  ///< Index into `Snapshot::pools`, or `k_default_pool` or `k_no_pool`
    bool is_small = false;           ///< True for a range that serves requests up to 1 MiB
    bool is_expandable = false;
    auto operator<=>(const RangeTraits&) const = default;
};

/// Represents PyTorch's default pool (0, 0) in a file that does not list this pool.
inline constexpr std::uint16_t k_default_pool = k_no_pool - 1;

/// A range of reserved addresses: one segment, or one contiguous mapped run of an expandable segment.
struct AddressRange {
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    RangeTraits traits;
    std::uint64_t end() const { return end_address(address, size_bytes); }
};

/// The memory pools as analyses compare them: an unknown pool counts as the default pool. Keeps a reference to the snapshot.
class PoolNames {
public:
    explicit PoolNames(const Snapshot& snapshot);
    std::uint16_t default_pool() const { return default_; }
    std::uint16_t known(std::uint16_t pool) const { return pool == k_no_pool ? default_ : pool; }
    bool is_private(std::uint16_t pool) const { return known(pool) != default_; }
    std::string text(std::uint16_t pool) const;  ///< Formats a pool like a Python tuple: "(0, 0)"

private:
    const Snapshot& snapshot_;
    std::uint16_t default_;
};

/// Precomputed facts about a device that AddressWalk reads at each event: the allocation that an event is about, and the
/// ranges that exist at the end of the recording. Keeps references to the snapshot and the trace. Construction takes
/// O(events + allocations log allocations).
struct AddressFacts {
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;

    AddressFacts(const Snapshot& the_snapshot, const DeviceTrace& the_trace);

    /// Returns the range that a segment event describes. Facts that the event lacks are taken from the final segment at its
    /// address, or guessed from the size of the event.
    AddressRange range_of_event(std::size_t event) const;

    const Snapshot& snapshot;
    const DeviceTrace& trace;
    AddressRanks ranks;
    AllocatorRules rules;
    PoolNames pools;
    std::vector<AddressRange> final_ranges;            ///< Ranges of the device's segments at the end, in file order
    std::vector<std::uint32_t> allocation_of_event;    ///< Allocation that each event starts or ends, or k_none
    std::vector<std::uint32_t> request_of_allocation;  ///< Event that requested the free of each allocation, or k_none
    /// The older allocation at the same address whose free was not recorded, or k_none; indexed by allocation.
    std::vector<std::uint32_t> replaced_by_allocation;
    std::vector<std::uint32_t> open_at_end;  ///< Allocation at each rank that is never freed, or k_none

private:
    void find_final_ranges();
    void pair_events();

    struct ByAddress {
        std::uint32_t range = 0;        ///< Index into `final_ranges`
        std::uint64_t highest_end = 0;  ///< Largest end address of this range and all ranges before it
    };
    std::vector<ByAddress> by_address_;
};

}  // namespace snapviewer
