#include "core/analysis/space/address_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/hash.h"
#include "core/base/text.h"

namespace snapviewer::space {
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

std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    static const KeyedHash hash;
    return hash(hash(hash(a) + b) + c);
}

std::uint64_t digest_of(const BlockLife& block) {
    return mix(2 * std::uint64_t{block.rank} + 1, block.size_bytes, block.pending_from != BlockLife::k_never ? 1 : 0);
}

std::uint64_t digest_of(const RangeLife& life, const PoolNames& pools) {
    const RangeTraits& traits = life.range.traits;
    return mix(2 * std::uint64_t{life.rank}, life.range.size_bytes,
               std::uint64_t{traits.stream} << 32 | std::uint64_t{pools.known(traits.pool)} << 2 |
                   (traits.is_small ? 2U : 0U) | (traits.is_expandable ? 1U : 0U));
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
        // If the middle of a range is unmapped, a new range begins after the unmapped part. In a backward walk, undoing a
        // mapping has the same effect.
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
    // Checks for a stop at each event, because overlapping segments make this loop linear in the number of segments.
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

const char* contradiction_text(Contradiction contradiction) {
    constexpr std::array<const char*, k_contradictions> k_texts =
        text_array<const char*>("range over range", "block over block", "unmap outside", "live but in no segment",
                                "alloc without block", "segment_alloc without segment", "alloc at open address",
                                "free of nothing", "segment_free of a used segment", "segment_free without segment");
    return k_texts[static_cast<std::size_t>(contradiction)];
}

const char* block_size_origin_text(BlockSizeOrigin origin) {
    constexpr auto k_texts =
        text_array<const char*>("unknown", "file", "split rule", "split rule at the start", "cut", "rounded");
    return k_texts[static_cast<std::size_t>(origin)];
}

AddressWalk::AddressWalk(const AddressFacts& facts, std::vector<BlockSize>& sizes)
    : facts_(facts),
      sizes_(sizes),
      block_ranks_(facts.ranks.size()),
      range_ranks_(facts.ranks.size()),
      block_at_(facts.ranks.size(), k_none),
      range_at_(facts.ranks.size(), k_none) {}

void AddressWalk::set_to_end() {
    const AddressRanks& ranks = facts_.ranks;
    const AllocationColumns& allocations = facts_.trace.allocations;
    for (const AddressRange& range : facts_.final_ranges) add_range(ranks.find(range.address), range);
    std::vector<std::uint32_t> standing(ranks.size(), k_none);
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        if (allocations.origin[i] == Origin::standing) standing[ranks.find(allocations.address[i])] = i;
    }
    struct FinalBlock {
        std::uint64_t size_bytes = 0;
        bool exists = false;
        bool is_pending = false;
    };
    std::vector<FinalBlock> final_blocks(ranks.size());
    for_each_final_block(facts_.snapshot, facts_.trace, [&](std::uint64_t address, const Block& block) {
        if (block.state != BlockState::inactive)
            final_blocks[ranks.find(address)] = {block.size_bytes, true, block.state == BlockState::active_pending_free};
    });
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
        const FinalBlock& block = final_blocks[rank];
        const std::uint32_t open = facts_.open_at_end[rank];
        if (block.exists) {
            add_block(rank, block.size_bytes, open != k_none ? open : standing[rank], block.is_pending);
        } else if (open != k_none) {
            note(Contradiction::live_in_no_segment);
            add_block(rank, size_of(open), open, facts_.request_of_allocation[open] != k_none);
        }
    }
}

void AddressWalk::set_to(const AddressWalk& other) {
    for (auto rank = other.range_ranks_.next_from(0); rank != RankSet::k_none; rank = other.range_ranks_.next_from(rank + 1))
        add_range(rank, other.ranges_[other.range_at_[rank]].range);
    for (auto rank = other.block_ranks_.next_from(0); rank != RankSet::k_none;
         rank = other.block_ranks_.next_from(rank + 1)) {
        const BlockLife& block = other.blocks_[other.block_at_[rank]];
        add_block(rank, block.size_bytes, block.allocation, block.pending_from != BlockLife::k_never);
    }
}

std::uint64_t AddressWalk::size_of(std::uint32_t allocation) const {
    if (sizes_[allocation].origin != BlockSizeOrigin::unknown) return sizes_[allocation].bytes;
    return facts_.rules.rounded(facts_.trace.allocations.size_bytes[allocation]);
}

/// Returns the range that contains the address of `rank`, or null.
const AddressRange* AddressWalk::range_around(std::uint32_t rank) const {
    const std::uint32_t start = range_ranks_.last_up_to(rank);
    if (start == RankSet::k_none) return nullptr;
    const AddressRange& range = ranges_[range_at_[start]].range;
    return facts_.ranks.address(rank) < range.end() ? &range : nullptr;
}

/// Computes the block that a request gets at an address with the split rule: the free space at that address, cut to size.
BlockSize AddressWalk::fit(std::uint32_t rank, std::uint64_t requested_bytes) const {
    const std::uint64_t size_bytes = facts_.rules.rounded(requested_bytes);
    const AddressRange* range = range_around(rank);
    if (range == nullptr) return {size_bytes, BlockSizeOrigin::rounded};
    const std::uint32_t next = block_ranks_.next_from(rank + 1);
    std::uint64_t boundary = range->end();
    if (next != RankSet::k_none) boundary = std::min(boundary, facts_.ranks.address(next));
    const std::uint64_t room_bytes = boundary - facts_.ranks.address(rank);
    if (room_bytes < size_bytes) return {room_bytes, BlockSizeOrigin::cut};
    const bool keeps = facts_.rules.keeps_remainder(size_bytes, room_bytes - size_bytes, range->traits.is_small,
                                                    range->traits.is_expandable);
    return {keeps ? room_bytes : size_bytes, BlockSizeOrigin::split_rule};
}

void AddressWalk::determine_size(std::uint32_t rank, std::uint32_t allocation) {
    BlockSize& known = sizes_[allocation];
    const BlockSize guess = fit(rank, facts_.trace.allocations.size_bytes[allocation]);
    if (known.origin == BlockSizeOrigin::unknown) {
        known = guess;
    } else {
        ++guesses_;
        right_guesses_ += guess.bytes == known.bytes ? 1 : 0;
    }
}

void AddressWalk::determine_sizes() {
    for (auto rank = block_ranks_.next_from(0); rank != RankSet::k_none; rank = block_ranks_.next_from(rank + 1)) {
        BlockLife& block = blocks_[block_at_[rank]];
        if (block.allocation == k_none || sizes_[block.allocation].origin != BlockSizeOrigin::unknown) continue;
        BlockSize size = fit(rank, facts_.trace.allocations.size_bytes[block.allocation]);
        if (size.origin == BlockSizeOrigin::split_rule) size.origin = BlockSizeOrigin::split_rule_at_start;
        sizes_[block.allocation] = size;
        toggle_block(rank);
        block.size_bytes = size.bytes;
        toggle_block(rank);
    }
}

void AddressWalk::toggle_block(std::uint32_t rank) { digest_ ^= digest_of(blocks_[block_at_[rank]]); }

void AddressWalk::add_block(std::uint32_t rank, std::uint64_t size_bytes, std::uint32_t allocation, bool is_pending) {
    if (block_ranks_.contains(rank)) {
        note(Contradiction::block_over_block);
        drop_block(rank);
    }
    block_at_[rank] = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back(
        {rank, allocation, size_bytes, moment_, BlockLife::k_never, is_pending ? moment_ : BlockLife::k_never});
    block_ranks_.insert(rank);
    ++block_count_;
    toggle_block(rank);
}

void AddressWalk::drop_block(std::uint32_t rank) {
    toggle_block(rank);
    blocks_[block_at_[rank]].end = moment_;
    block_ranks_.erase(rank);
    --block_count_;
}

void AddressWalk::mark(std::uint32_t rank, bool is_pending) {
    if (!block_ranks_.contains(rank)) return;
    BlockLife& block = blocks_[block_at_[rank]];
    if ((block.pending_from != BlockLife::k_never) == is_pending) return;
    toggle_block(rank);
    block.pending_from = is_pending ? moment_ : BlockLife::k_never;
    toggle_block(rank);
}

void AddressWalk::add_range(std::uint32_t rank, const AddressRange& range) {
    const std::uint32_t next = range_ranks_.next_from(rank);
    const std::uint32_t last = range_ranks_.last_below(rank);
    const bool overlaps = (next != RankSet::k_none && (next == rank || facts_.ranks.address(next) < range.end())) ||
                          (last != RankSet::k_none && ranges_[range_at_[last]].range.end() > range.address);
    if (overlaps) {
        note(Contradiction::range_over_range);
        return;
    }
    range_at_[rank] = static_cast<std::uint32_t>(ranges_.size());
    ranges_.push_back({rank, range, moment_});
    range_ranks_.insert(rank);
    ++range_count_;
    digest_ ^= digest_of(ranges_.back(), facts_.pools);
}

void AddressWalk::drop_range(std::uint32_t rank) {
    RangeLife& life = ranges_[range_at_[rank]];
    digest_ ^= digest_of(life, facts_.pools);
    life.end = moment_;
    range_ranks_.erase(rank);
    --range_count_;
}

/// Adds mapped pages of an expandable segment, and merges them with the ranges that they touch if the traits are equal.
void AddressWalk::map(std::uint32_t rank, AddressRange range) {
    const std::uint32_t before = range_ranks_.last_below(rank);
    if (before != RankSet::k_none) {
        const AddressRange& other = ranges_[range_at_[before]].range;
        if (other.end() == range.address && other.traits == range.traits) {
            range = {other.address, other.size_bytes + range.size_bytes, range.traits};
            drop_range(before);
            rank = before;
        }
    }
    const std::uint32_t after = facts_.ranks.find(range.end());
    if (after != AddressRanks::k_none && range_ranks_.contains(after)) {
        const AddressRange& other = ranges_[range_at_[after]].range;
        if (other.traits == range.traits) {
            range.size_bytes += other.size_bytes;
            drop_range(after);
        }
    }
    add_range(rank, range);
}

void AddressWalk::unmap(std::uint32_t rank, std::uint64_t address, std::uint64_t size_bytes) {
    const AddressRange* around = range_around(rank);
    const std::uint64_t end = end_address(address, size_bytes);
    if (around == nullptr || end > around->end()) {
        note(Contradiction::unmap_outside);
        return;
    }
    const AddressRange range = *around;
    const std::uint32_t start = range_ranks_.last_up_to(rank);
    drop_range(start);
    if (address > range.address) add_range(start, {range.address, address - range.address, range.traits});
    if (end < range.end()) add_range(facts_.ranks.find(end), {end, range.end() - end, range.traits});
}

bool AddressWalk::is_used(std::uint32_t range_rank) const {
    const std::uint32_t first = block_ranks_.next_from(range_rank);
    return first != RankSet::k_none && facts_.ranks.address(first) < ranges_[range_at_[range_rank]].range.end();
}

void AddressWalk::drop_block_or(std::uint32_t rank, Contradiction if_there_is_none) {
    block_ranks_.contains(rank) ? drop_block(rank) : note(if_there_is_none);
}

void AddressWalk::drop_range_or(std::uint32_t rank, Contradiction if_there_is_none) {
    range_ranks_.contains(rank) ? drop_range(rank) : note(if_there_is_none);
}

void AddressWalk::undo(std::uint32_t event) {
    const EventColumns& events = facts_.trace.events;
    const std::uint32_t rank = facts_.ranks.of_event(event);
    const std::uint32_t allocation = facts_.allocation_of_event[event];
    moment_ = event;
    switch (events.action[event]) {
        case Action::alloc: {
            if (allocation == k_none) break;
            drop_block_or(rank, Contradiction::alloc_without_block);
            const std::uint32_t replaced = facts_.replaced_by_allocation[allocation];
            if (replaced != k_none) add_block(rank, size_of(replaced), replaced, false);
            break;
        }
        case Action::free_completed:
            if (allocation == k_none) break;
            add_block(rank, size_of(allocation), allocation, facts_.request_of_allocation[allocation] != k_none);
            break;
        case Action::free_requested: mark(rank, false); break;
        case Action::segment_alloc: drop_range_or(rank, Contradiction::segment_alloc_without_segment); break;
        case Action::segment_free: add_range(rank, facts_.range_of_event(event)); break;
        case Action::segment_map: unmap(rank, events.address[event], events.size_bytes[event]); break;
        case Action::segment_unmap: map(rank, facts_.range_of_event(event)); break;
        default: break;
    }
}

void AddressWalk::apply(std::uint32_t event, bool settles) {
    const EventColumns& events = facts_.trace.events;
    const std::uint32_t rank = facts_.ranks.of_event(event);
    const std::uint32_t allocation = facts_.allocation_of_event[event];
    moment_ = event + 1;
    switch (events.action[event]) {
        case Action::alloc:
            if (allocation == k_none) break;
            if (block_ranks_.contains(rank)) {
                note(Contradiction::alloc_at_open_address);
                drop_block(rank);
            }
            if (settles) determine_size(rank, allocation);
            add_block(rank, size_of(allocation), allocation, false);
            break;
        case Action::free_completed: drop_block_or(rank, Contradiction::free_of_nothing); break;
        case Action::free_requested: mark(rank, true); break;
        case Action::segment_alloc: add_range(rank, facts_.range_of_event(event)); break;
        case Action::segment_free:
            if (range_ranks_.contains(rank) && is_used(rank)) note(Contradiction::segment_free_of_used);
            drop_range_or(rank, Contradiction::segment_free_without_segment);
            break;
        case Action::segment_map: map(rank, facts_.range_of_event(event)); break;
        case Action::segment_unmap: unmap(rank, events.address[event], events.size_bytes[event]); break;
        default: break;
    }
}

}  // namespace snapviewer::space
