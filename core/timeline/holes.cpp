#include "core/timeline/holes.h"

#include <algorithm>
#include <map>

#include "core/trace/reserved.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_block_bytes = 512;  // the allocator's smallest unit

/// The address range [begin, end) of a block in use.
struct Used {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

std::uint64_t rounded(std::uint64_t size_bytes) {
    const std::uint64_t up = (size_bytes + k_block_bytes - 1) / k_block_bytes * k_block_bytes;
    return std::max(up, k_block_bytes);
}

/// The blocks in use at any moment. Their sizes are exact if they still exist at the end.
class UsedBlocks {
public:
    explicit UsedBlocks(const Timeline& timeline) : timeline_(timeline) {
        const Snapshot& snapshot = timeline.snapshot();
        for (const Segment& segment : snapshot.segments) {
            if (segment.device != timeline.trace().device) continue;
            for (std::uint32_t i = 0; i < segment.block_count; ++i) {
                const Block& block = snapshot.blocks[segment.first_block + i];
                if (block.state != BlockState::inactive)
                    at_end_.push_back({block.address, block.address + block.size_bytes});
            }
        }
        std::ranges::sort(at_end_, {}, &Used::begin);
    }

    std::vector<Used> after_events(std::uint32_t event_count) const {
        const auto done_by = timeline_.tick_events();
        // The last tick is the right edge, where nothing changes. Events before the first action belong to tick 0.
        const auto inner = done_by.subspan(0, done_by.size() - 1);
        const auto tick = std::max<std::ptrdiff_t>(std::ranges::upper_bound(inner, event_count) - inner.begin() - 1, 0);
        std::vector<Used> used;
        for (const AllocationId id : timeline_.live_after_tick(static_cast<std::uint32_t>(tick))) used.push_back(extent(id));
        std::ranges::sort(used, {}, &Used::begin);
        return used;
    }

private:
    const Used* block_at_end(std::uint64_t address) const {
        const auto at = std::ranges::lower_bound(at_end_, address, {}, &Used::begin);
        return at != at_end_.end() && at->begin == address ? &*at : nullptr;
    }

    Used extent(AllocationId id) const {
        const AllocationColumns& allocations = timeline_.trace().allocations;
        const std::uint64_t address = allocations.address[id.value];
        const bool is_there_at_end = allocations.state[id.value] != AllocationState::freed;
        const Used* block = is_there_at_end ? block_at_end(address) : nullptr;
        return block != nullptr ? *block : Used{address, address + rounded(allocations.size_bytes[id.value])};
    }

    const Timeline& timeline_;
    std::vector<Used> at_end_;
};

Holes holes_between(const std::map<std::uint64_t, ReservedRanges::Range>& ranges, const std::vector<Used>& used) {
    Holes holes;
    const auto take = [&](std::uint64_t begin, std::uint64_t end) {
        if (begin >= end) return;
        holes.total_bytes += end - begin;
        holes.largest_bytes = std::max(holes.largest_bytes, end - begin);
        ++holes.count;
    };
    auto next = used.begin();
    for (const auto& [begin, range] : ranges) {
        std::uint64_t free_from = begin;
        for (; next != used.end() && next->begin < range.end; ++next) {
            take(free_from, next->begin);
            free_from = std::max(free_from, next->end);
        }
        take(free_from, range.end);
    }
    return holes;
}

}  // namespace

std::vector<Holes> holes_after_events(const Timeline& timeline, std::span<const std::uint32_t> event_counts) {
    const EventColumns& events = timeline.trace().events;
    ReservedRanges ranges(timeline.snapshot(), timeline.trace().device);
    if (ranges.by_address().empty() || event_counts.empty()) return {};
    const UsedBlocks used(timeline);
    std::vector<Holes> holes(event_counts.size());
    std::size_t event = events.size();
    for (std::size_t i = event_counts.size(); i-- > 0;) {
        for (; event > event_counts[i]; --event) ranges.undo(events, event - 1);
        holes[i] = holes_between(ranges.by_address(), used.after_events(event_counts[i]));
    }
    return holes;
}

}  // namespace snapviewer
