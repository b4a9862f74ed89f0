#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/address_ranks.h"
#include "core/analysis/allocator_rules.h"

namespace snapviewer {

/// What ranges must have in common to be joined, and requests to be served from them.
struct RangeTraits {
    std::uint16_t stream = 0;        ///< index into Snapshot::streams
    std::uint16_t pool = k_no_pool;  ///< index into Snapshot::pools, k_default_pool or k_no_pool
    bool is_small = false;           ///< for requests up to 1 MiB
    bool is_expandable = false;
    auto operator<=>(const RangeTraits&) const = default;
};

/// The pool (0, 0) where no pool of the file is called so.
inline constexpr std::uint16_t k_default_pool = k_no_pool - 1;

/// Reserved bytes: one segment, or one contiguous mapped run of an expandable segment.
struct AddressRange {
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    RangeTraits traits;
    std::uint64_t end() const { return end_address(address, size_bytes); }
};

/// Pools as analyses compare them: what the file does not say counts as the default pool.
class PoolNames {
public:
    explicit PoolNames(const Snapshot& snapshot);
    std::uint16_t default_pool() const { return default_; }
    std::uint16_t known(std::uint16_t pool) const { return pool == k_no_pool ? default_ : pool; }
    bool is_private(std::uint16_t pool) const { return known(pool) != default_; }
    std::string text(std::uint16_t pool) const;  ///< "(0, 0)", as a Python tuple

private:
    const Snapshot& snapshot_;
    std::uint16_t default_;
};

/// What of a device the walks through its address space read: which event is about which allocation, which ranges stand at
/// the end. Keeps references to the snapshot and the trace. O(events + allocations log allocations).
struct AddressFacts {
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;

    AddressFacts(const Snapshot& the_snapshot, const DeviceTrace& the_trace);

    /// The range a segment event speaks of. What the event does not say is that of a final segment at its address.
    AddressRange range_of_event(std::size_t event) const;

    const Snapshot& snapshot;
    const DeviceTrace& trace;
    AddressRanks ranks;
    AllocatorRules rules;
    PoolNames pools;
    std::vector<AddressRange> final_ranges;             ///< in file order
    std::vector<std::uint32_t> allocation_of_event;     ///< that it starts or ends; k_none
    std::vector<std::uint32_t> request_of_allocation;   ///< event that asked for its free; k_none
    std::vector<std::uint32_t> replaced_by_allocation;  ///< the one still open at its address when it came; k_none
    std::vector<std::uint32_t> open_at_end;             ///< by rank: the allocation whose free was not recorded; k_none

private:
    void find_final_ranges();
    void pair_events();

    struct ByAddress {
        std::uint32_t range = 0;        ///< into final_ranges
        std::uint64_t highest_end = 0;  ///< of it and all before it
    };
    std::vector<ByAddress> by_address_;
};

}  // namespace snapviewer
