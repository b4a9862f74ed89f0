#include "core/analysis/address_facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/context.h"

namespace snapviewer {
namespace {

constexpr std::uint32_t k_paired_between_stops = 4096;

}  // namespace

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
        if (i % k_paired_between_stops == 0) check_stop();
        for (const EventId event : {allocations.alloc_event[i], allocations.free_event[i]}) {
            if (event.is_some() && event.value < events.size()) allocation_of_event[event.value] = i;
        }
    }
    std::vector<std::uint32_t> requested(ranks.size(), k_none);
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (event % k_paired_between_stops == 0) check_stop();
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
