#include "core/analysis/pins.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace snapviewer {
namespace {

constexpr std::size_t k_named_pins = 5;

struct IdleBytes {
    std::uint64_t total = 0;
    std::uint64_t largest = 0;
    std::uint32_t count = 0;

    void add(const Hole& hole) {
        total += hole.size_bytes();
        largest = std::max(largest, hole.size_bytes());
        ++count;
    }
};

PinnedRange pinned_range(const AddressMoment& moment, const AddressMoment::Range& range, const IdleBytes& kept) {
    PinnedRange pinned{range.range, kept.total, kept.largest, kept.count, range.block_count, 0, range.range.size_bytes, {}};
    pinned.released_without_pins -= returnable_bytes(moment, range);
    const auto blocks = moment.blocks_of(range);
    std::vector<const AddressMoment::Block*> smallest;
    for (const AddressMoment::Block& block : blocks) {
        pinned.pin_bytes += block.size_bytes;
        smallest.push_back(&block);
    }
    const auto named = smallest.begin() + static_cast<std::ptrdiff_t>(std::min(k_named_pins, smallest.size()));
    std::ranges::partial_sort(smallest, named, {},
                              [](const auto* block) { return std::pair(block->size_bytes, block->address); });
    for (auto block = smallest.begin(); block != named; ++block) {
        if ((*block)->allocation.is_some()) pinned.pinning.push_back((*block)->allocation);
    }
    return pinned;
}

void add_pinning_blocks(const AddressMoment& moment, const AddressMoment::Range& range, std::vector<PinningBlock>& found) {
    std::vector<Hole> holes;
    for_each_kept_hole(moment, range, [&](const Hole& hole) { holes.push_back(hole); });
    std::size_t after = 0;  // index of the first hole that begins at or after the end of the block
    std::size_t before = 0;
    for (const AddressMoment::Block& block : moment.blocks_of(range)) {
        const std::uint64_t end = std::min(end_address(block.address, block.size_bytes), range.range.end());
        Hole left{block.address, block.address};
        Hole right{end, end};
        while (before < holes.size() && holes[before].end < block.address) ++before;
        if (before < holes.size() && holes[before].end == block.address) left = holes[before];
        for (after = before; after < holes.size() && holes[after].begin < end;) ++after;
        if (after < holes.size() && holes[after].begin == end) right = holes[after];
        if (left.size_bytes() + right.size_bytes() == 0) continue;
        const std::uint64_t whole = left.size_bytes() + block.size_bytes + right.size_bytes();
        found.push_back({block, range.range.address, whole, whole - std::max(left.size_bytes(), right.size_bytes()),
                         returnable_part(range.range, {left.begin, right.end}).size_bytes()});
    }
}

}  // namespace

Hole returnable_part(const AddressRange& range, const Hole& hole) {
    const Hole nothing{hole.end, hole.end};
    if (!range.traits.is_expandable) return hole.begin == range.address && hole.end == range.end() ? hole : nothing;
    const std::uint64_t page = driver_page_bytes(range.traits);
    const std::uint64_t first = (hole.begin - range.address + page - 1) / page * page;
    const std::uint64_t end = (hole.end - range.address) / page * page;
    return first < end ? Hole{range.address + first, range.address + end} : nothing;
}

std::uint64_t returnable_bytes(const AddressMoment& moment, const AddressMoment::Range& range) {
    std::uint64_t bytes = 0;
    for_each_hole(moment, range, [&](const Hole& hole) { bytes += returnable_part(range.range, hole).size_bytes(); });
    return bytes;
}

Pins pins_at(const AddressSpace& space, const AddressMoment& moment) {
    Pins pins;
    if (space.facts().trace.reserved_known == ReservedKnown::no) return pins;
    for (const AddressMoment::Range& range : moment.ranges) {
        IdleBytes kept;
        for_each_kept_hole(moment, range, [&](const Hole& hole) { kept.add(hole); });
        if (kept.total == 0) continue;
        pins.ranges.push_back(pinned_range(moment, range, kept));
        add_pinning_blocks(moment, range, pins.blocks);
    }
    std::ranges::sort(pins.ranges, [](const PinnedRange& a, const PinnedRange& b) {
        return std::tie(b.idle_bytes, a.pin_bytes, a.range.address) < std::tie(a.idle_bytes, b.pin_bytes, b.range.address);
    });
    std::ranges::sort(pins.blocks, [](const PinningBlock& a, const PinningBlock& b) {
        return std::tie(b.released_bytes, b.hole_without_it, a.block.size_bytes, a.block.address) <
               std::tie(a.released_bytes, a.hole_without_it, b.block.size_bytes, b.block.address);
    });
    return pins;
}

std::vector<PrivatePool> private_pools_at(const AddressMoment& moment, const PoolNames& pools) {
    std::map<std::string, PrivatePool> found;
    for (const AddressMoment::Range& range : moment.ranges) {
        if (!pools.is_private(range.range.traits.pool)) continue;
        const std::string name = pools.text(range.range.traits.pool);
        PrivatePool& pool = found[name];
        IdleBytes idle;
        for_each_hole(moment, range, [&](const Hole& hole) { idle.add(hole); });
        pool.pool = name;
        pool.reserved_bytes += range.range.size_bytes;
        pool.active_bytes += range.range.size_bytes - idle.total;
        pool.idle_bytes += idle.total;
        pool.largest_hole_bytes = std::max(pool.largest_hole_bytes, idle.largest);
    }
    std::vector<PrivatePool> rows;
    for (auto& [name, pool] : found) rows.push_back(std::move(pool));
    return rows;
}

}  // namespace snapviewer
