#include "core/analysis/address_ranks.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/base/context.h"
#include "core/base/keyed_hash.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_addresses_between_stops = 4096;

/// Assigns consecutive numbers to distinct addresses, in the order of their first occurrence.
class DistinctAddresses {
public:
    std::uint32_t number_of(std::uint64_t address) {
        if (slots_.size() < 2 * (found_.size() + 1)) grow();
        std::size_t slot = home(address);
        for (; slots_[slot] != k_empty; slot = (slot + 1) & (slots_.size() - 1)) {
            if (found_[slots_[slot]] == address) return slots_[slot];
        }
        slots_[slot] = static_cast<std::uint32_t>(found_.size());
        found_.push_back(address);
        return slots_[slot];
    }
    const std::vector<std::uint64_t>& found() const { return found_; }

private:
    static constexpr std::uint32_t k_empty = 0xFFFFFFFF;

    std::size_t home(std::uint64_t address) const { return hash_(address) & (slots_.size() - 1); }
    void grow() {
        slots_.assign(slots_.empty() ? 4096 : slots_.size() * 2, k_empty);
        for (std::uint32_t i = 0; i < found_.size(); ++i) {
            std::size_t slot = home(found_[i]);
            while (slots_[slot] != k_empty) slot = (slot + 1) & (slots_.size() - 1);
            slots_[slot] = i;
        }
    }

    KeyedHash hash_;
    std::vector<std::uint32_t> slots_;
    std::vector<std::uint64_t> found_;
};

bool is_about_memory(Action action) {
    return action == Action::alloc || action == Action::free_requested || action == Action::free_completed ||
           is_segment_event(action);
}

void add_segments(const Snapshot& snapshot, std::int32_t device, DistinctAddresses& addresses) {
    for (const Segment& segment : snapshot.segments) {
        check_stop();
        if (segment.device != device) continue;
        std::uint64_t address = segment.address;
        addresses.number_of(address);
        for (std::uint32_t i = 0; i < segment.block_count; ++i) {
            addresses.number_of(address);
            address = end_address(address, snapshot.blocks[segment.first_block + i].size_bytes);
        }
    }
}

}  // namespace

AddressRanks::AddressRanks(const Snapshot& snapshot, const DeviceTrace& trace) {
    const EventColumns& events = trace.events;
    DistinctAddresses addresses;
    event_ranks_.resize(events.size(), k_none);
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (i % k_addresses_between_stops == 0) check_stop();
        if (!is_about_memory(events.action[i])) continue;
        event_ranks_[i] = addresses.number_of(events.address[i]);
        // If the middle of a range is unmapped, a new range begins after the unmapped part. Walking backwards, a mapping is
        // unmapped in the same way.
        if (events.action[i] == Action::segment_unmap || events.action[i] == Action::segment_map)
            addresses.number_of(end_address(events.address[i], events.size_bytes[i]));
    }
    add_segments(snapshot, trace.device, addresses);
    for (std::size_t i = 0; i < trace.allocations.size(); ++i) {
        if (i % k_addresses_between_stops == 0) check_stop();
        addresses.number_of(trace.allocations.address[i]);
    }

    const std::vector<std::uint64_t>& found = addresses.found();
    std::vector<std::uint32_t> order(found.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t number) { return found[number]; });
    check_stop();
    std::vector<std::uint32_t> rank_of(found.size());
    addresses_.reserve(found.size());
    for (const std::uint32_t number : order) {
        rank_of[number] = static_cast<std::uint32_t>(addresses_.size());
        addresses_.push_back(found[number]);
    }
    for (std::uint32_t& rank : event_ranks_) {
        if (rank != k_none) rank = rank_of[rank];
    }
}

std::uint32_t AddressRanks::count_below(std::uint64_t address) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(addresses_, address) - addresses_.begin());
}

std::uint32_t AddressRanks::find(std::uint64_t address) const {
    const std::uint32_t rank = count_below(address);
    return rank < addresses_.size() && addresses_[rank] == address ? rank : k_none;
}

}  // namespace snapviewer
