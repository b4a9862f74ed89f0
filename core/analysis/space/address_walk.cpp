#include "core/analysis/space/address_walk.h"

#include <algorithm>

#include "core/base/hash.h"

namespace snapviewer {
namespace {

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

const char* contradiction_text(Contradiction contradiction) {
    constexpr std::array<const char*, k_contradictions> k_texts = {"range over range",
                                                                   "block over block",
                                                                   "unmap outside",
                                                                   "live but in no segment",
                                                                   "alloc without block",
                                                                   "segment_alloc without segment",
                                                                   "alloc at open address",
                                                                   "free of nothing",
                                                                   "segment_free of a used segment",
                                                                   "segment_free without segment"};
    return k_texts[static_cast<std::size_t>(contradiction)];
}

const char* block_size_origin_text(BlockSizeOrigin origin) {
    constexpr std::array<const char*, 6> k_texts = {"unknown", "file",   "split rule", "split rule at the start",
                                                    "cut",     "rounded"};
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

}  // namespace snapviewer
