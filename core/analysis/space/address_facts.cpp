#include "core/analysis/space/address_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/hash.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_steps_between_stop_checks = 4096;

/// Assigns consecutive numbers to distinct addresses, in the order of their first occurrence.
class DistinctAddresses {
public:
    std::uint32_t number_of(std::uint64_t address) {
        const auto address_of = [this](std::uint32_t number) { return found_[number]; };
        const std::uint32_t number = numbers_.find_or_add(address, address_of, found_.size());
        if (number == found_.size()) found_.push_back(address);
        return number;
    }
    const std::vector<std::uint64_t>& found() const { return found_; }

private:
    HashIndex numbers_;
    std::vector<std::uint64_t> found_;
};

bool is_about_memory(Action action) {
    return action == Action::alloc || action == Action::free_requested || action == Action::free_completed ||
           is_segment_event(action);
}

}  // namespace

AddressRanks::AddressRanks(const Snapshot& snapshot, const DeviceTrace& trace) {
    const EventColumns& events = trace.events;
    DistinctAddresses addresses;
    event_ranks_.resize(events.size(), k_none);
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (i % k_steps_between_stop_checks == 0) check_stop();
        if (!is_about_memory(events.action[i])) continue;
        event_ranks_[i] = addresses.number_of(events.address[i]);
        // If the middle of a range is unmapped, a new range begins after the unmapped part. Walking backwards, a mapping is
        // unmapped in the same way.
        if (events.action[i] == Action::segment_unmap || events.action[i] == Action::segment_map)
            addresses.number_of(end_address(events.address[i], events.size_bytes[i]));
    }
    for (const Segment& segment : snapshot.segments) {
        if (segment.device == trace.device) addresses.number_of(segment.address);
    }
    for_each_final_block(snapshot, trace, [&](std::uint64_t address, const Block&) { addresses.number_of(address); });
    for (std::size_t i = 0; i < trace.allocations.size(); ++i) {
        if (i % k_steps_between_stop_checks == 0) check_stop();
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

std::uint32_t AddressRanks::find(std::uint64_t address) const {
    const auto found = std::ranges::lower_bound(addresses_, address);
    if (found == addresses_.end() || *found != address) return k_none;
    return static_cast<std::uint32_t>(found - addresses_.begin());
}

PoolNames::PoolNames(const Snapshot& snapshot) : snapshot_(snapshot), default_(k_default_pool) {
    const auto found = std::ranges::find(snapshot.pools, std::pair<std::int64_t, std::int64_t>{0, 0});
    if (found != snapshot.pools.end()) default_ = static_cast<std::uint16_t>(found - snapshot.pools.begin());
}

std::string PoolNames::text(std::uint16_t pool) const {
    if (!is_private(pool)) return "(0, 0)";
    return fmt::format("({}, {})", snapshot_.pools[pool].first, snapshot_.pools[pool].second);
}

AddressFacts::AddressFacts(const Snapshot& the_snapshot, const DeviceTrace& the_trace)
    : snapshot(the_snapshot),
      trace(the_trace),
      ranks(the_snapshot, the_trace),
      rules(the_snapshot),
      pools(the_snapshot),
      allocation_of_event(the_trace.events.size(), k_none),
      request_of_allocation(the_trace.allocations.size(), k_none),
      replaced_by_allocation(the_trace.allocations.size(), k_none),
      open_at_end(ranks.size(), k_none) {
    find_final_ranges();
    pair_events();
}

void AddressFacts::find_final_ranges() {
    check_stop();
    for (const Segment& segment : snapshot.segments) {
        if (segment.device != trace.device) continue;
        const bool is_small = segment.type.is_some() && snapshot.strings.view(segment.type) == "small";
        final_ranges.push_back(
            {segment.address, segment.total_bytes, {segment.stream, segment.pool, is_small, segment.is_expandable}});
    }
    for (std::uint32_t i = 0; i < final_ranges.size(); ++i) by_address_.push_back({i, final_ranges[i].end()});
    std::ranges::sort(by_address_, {}, [&](const ByAddress& each) { return final_ranges[each.range].address; });
    for (std::size_t i = 1; i < by_address_.size(); ++i)
        by_address_[i].highest_end = std::max(by_address_[i].highest_end, by_address_[i - 1].highest_end);
}

void AddressFacts::pair_events() {
    const AllocationColumns& allocations = trace.allocations;
    const EventColumns& events = trace.events;
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        if (i % k_steps_between_stop_checks == 0) check_stop();
        for (const EventId event : {allocations.alloc_event[i], allocations.free_event[i]}) {
            if (event.is_some() && event.value < events.size()) allocation_of_event[event.value] = i;
        }
    }
    std::vector<std::uint32_t> requested(ranks.size(), k_none);
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (event % k_steps_between_stop_checks == 0) check_stop();
        const std::uint32_t rank = ranks.of_event(event);
        const std::uint32_t allocation = allocation_of_event[event];
        switch (events.action[event]) {
            case Action::alloc:
                if (allocation == k_none) break;
                replaced_by_allocation[allocation] = open_at_end[rank];
                open_at_end[rank] = allocation;
                requested[rank] = k_none;
                break;
            case Action::free_requested: requested[rank] = event; break;
            case Action::free_completed:
                if (allocation != k_none) request_of_allocation[allocation] = requested[rank];
                requested[rank] = k_none;
                open_at_end[rank] = k_none;
                break;
            default: break;
        }
    }
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
        if (requested[rank] != k_none && open_at_end[rank] != k_none)
            request_of_allocation[open_at_end[rank]] = requested[rank];
    }
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        const bool waits = allocations.state[i] == AllocationState::awaiting_free;
        if (waits && allocations.origin[i] == Origin::standing)
            request_of_allocation[i] = requested[ranks.find(allocations.address[i])];
    }
}

AddressRange AddressFacts::range_of_event(std::size_t event) const {
    // Polls at each event: overlapping segments make this loop linear in the number of segments.
    check_stop();
    const EventColumns& events = trace.events;
    AddressRange found{events.address[event], events.size_bytes[event], {events.stream[event], k_no_pool, false, false}};
    const Action action = events.action[event];
    found.traits.is_expandable = action == Action::segment_map || action == Action::segment_unmap;
    const auto after = std::ranges::upper_bound(by_address_, found.address, {},
                                                [&](const ByAddress& each) { return final_ranges[each.range].address; });
    std::uint32_t match = k_none;
    for (auto at = after; at != by_address_.begin() && (at - 1)->highest_end > found.address; --at) {
        const AddressRange& range = final_ranges[(at - 1)->range];
        const bool fits = range.traits.is_expandable == found.traits.is_expandable &&
                          range.traits.stream == found.traits.stream && found.address < range.end();
        if (fits && (match == k_none || (at - 1)->range > match)) match = (at - 1)->range;
    }
    if (match != k_none) {
        found.traits.is_small = final_ranges[match].traits.is_small;
        found.traits.pool = final_ranges[match].traits.pool;
    } else {
        found.traits.is_small =
            found.traits.is_expandable ? found.size_bytes % (20 * k_mib) != 0 : found.size_bytes == 2 * k_mib;
        found.traits.pool = pools.default_pool();
    }
    if (events.pool[event] != k_no_pool) found.traits.pool = events.pool[event];
    return found;
}

}  // namespace snapviewer
