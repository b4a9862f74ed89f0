#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// All addresses at which a range or a block of a device ever begins, numbered by size, so that what is kept for an address
/// is a place in an array and its neighbours are a step away. Immutable; O(events + distinct log distinct) to make.
class AddressRanks {
public:
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;

    AddressRanks(const Snapshot& snapshot, const DeviceTrace& trace);

    std::size_t size() const { return addresses_.size(); }
    std::uint64_t address(std::uint32_t rank) const { return addresses_[rank]; }
    /// Of the address of an event; k_none for events that are about no memory.
    std::uint32_t of_event(std::size_t event) const { return event_ranks_[event]; }
    /// How many of the addresses are smaller. O(log addresses).
    std::uint32_t count_below(std::uint64_t address) const;
    /// Of an address that is one of them, else k_none. O(log addresses).
    std::uint32_t find(std::uint64_t address) const;

private:
    std::vector<std::uint64_t> addresses_;
    std::vector<std::uint32_t> event_ranks_;
};

/// Where what lies at an address ends; the largest address there is where a size is too large for that.
constexpr std::uint64_t end_address(std::uint64_t address, std::uint64_t size_bytes) {
    return size_bytes > UINT64_MAX - address ? UINT64_MAX : address + size_bytes;
}

}  // namespace snapviewer
