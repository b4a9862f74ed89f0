#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/snapshot.h"

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
    /// Returns the number of addresses below `address`. O(log addresses).
    std::uint32_t count_below(std::uint64_t address) const;
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

}  // namespace snapviewer
