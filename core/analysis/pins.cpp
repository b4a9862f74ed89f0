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
    std::uint64_t whole_pages = 0;
    std::uint32_t count = 0;
};

IdleBytes idle_bytes_of(const AddressMoment& moment, const AddressMoment::Range& range) {
    IdleBytes idle;
    for_each_hole(moment, range, [&](const Hole& hole) {
        idle.total += hole.size_bytes();
        idle.largest = std::max(idle.largest, hole.size_bytes());
        idle.whole_pages += whole_pages(hole.begin, hole.end, driver_page_bytes(range.range.traits));
        ++idle.count;
    });
    return idle;
}

PinnedRange pinned_range(const AddressMoment& moment, const AddressMoment::Range& range, const IdleBytes& idle) {
    PinnedRange pinned{range.range, idle.total, idle.largest, idle.count, range.block_count, 0, range.range.size_bytes, {}};
    if (range.range.traits.is_expandable) pinned.released_without_pins -= idle.whole_pages;
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

std::uint64_t released_without(const AddressMoment::Range& range, const Hole& left, const Hole& right) {
    if (!range.range.traits.is_expandable) return range.block_count == 1 ? range.range.size_bytes : 0;
    const std::uint64_t page = driver_page_bytes(range.range.traits);
    return whole_pages(left.begin, right.end, page) - whole_pages(left.begin, left.end, page) -
           whole_pages(right.begin, right.end, page);
}

void add_pinning_blocks(const AddressMoment& moment, const AddressMoment::Range& range, std::vector<PinningBlock>& found) {
    std::vector<Hole> holes;
    for_each_hole(moment, range, [&](const Hole& hole) { holes.push_back(hole); });
    std::size_t after = 0;  // of the first hole that begins at or beyond the end of the block
    std::size_t before = 0;
    for (const AddressMoment::Block& block : moment.blocks_of(range)) {
        const std::uint64_t end = end_address(block.address, block.size_bytes);
        Hole left{block.address, block.address};
        Hole right{end, end};
        while (before < holes.size() && holes[before].end < block.address) ++before;
        if (before < holes.size() && holes[before].end == block.address) left = holes[before];
        for (after = before; after < holes.size() && holes[after].begin < end;) ++after;
        if (after < holes.size() && holes[after].begin == end) right = holes[after];
        if (left.size_bytes() + right.size_bytes() == 0) continue;
        const std::uint64_t whole = left.size_bytes() + block.size_bytes + right.size_bytes();
        found.push_back({block, range.range.address, whole, whole - std::max(left.size_bytes(), right.size_bytes()),
                         released_without(range, left, right)});
    }
}

}  // namespace

std::uint64_t whole_pages(std::uint64_t begin, std::uint64_t end, std::uint64_t unit_bytes) {
    const std::uint64_t first = end_address(begin, unit_bytes - 1) / unit_bytes * unit_bytes;
    const std::uint64_t last = end / unit_bytes * unit_bytes;
    return last > first ? last - first : 0;
}

std::uint64_t returnable_bytes(const AddressMoment& moment, const AddressMoment::Range& range) {
    const RangeTraits& traits = range.range.traits;
    if (!traits.is_expandable) return range.block_count == 0 ? range.range.size_bytes : 0;
    std::uint64_t bytes = 0;
    for_each_hole(moment, range,
                  [&](const Hole& hole) { bytes += whole_pages(hole.begin, hole.end, driver_page_bytes(traits)); });
    return bytes;
}

Pins pins_at(const AddressMoment& moment) {
    Pins pins;
    for (const AddressMoment::Range& range : moment.ranges) {
        const IdleBytes idle = idle_bytes_of(moment, range);
        if (range.block_count == 0 || idle.total == 0) continue;
        pins.ranges.push_back(pinned_range(moment, range, idle));
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
        const IdleBytes idle = idle_bytes_of(moment, range);
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
