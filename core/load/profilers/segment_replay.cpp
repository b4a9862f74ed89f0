#include "core/load/profilers/segment_replay.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace snapviewer {
namespace {

std::uint64_t end_of(const Segment& segment) { return segment.address + segment.total_bytes; }

bool are_one(const Segment& a, const Segment& b) {
    return a.is_expandable && b.is_expandable && a.stream == b.stream && end_of(a) == b.address;
}

/// Adds blocks to a segment, and inactive blocks for the gaps between them.
class BlockRow {
public:
    BlockRow(Snapshot& snapshot, Segment segment) : snapshot_(snapshot), segment_(segment), at_(segment.address) {
        segment_.first_block = static_cast<std::uint32_t>(snapshot.blocks.size());
    }

    bool add(const Block& block) {
        if (block.address < at_ || block.size_bytes > end_of(segment_) - block.address) return false;
        fill(block.address);
        snapshot_.blocks.push_back(block);
        at_ = block.address + block.size_bytes;
        segment_.active_bytes += block.size_bytes;
        segment_.requested_bytes += block.requested_bytes;
        if (block.state == BlockState::active_allocated) segment_.allocated_bytes += block.size_bytes;
        return true;
    }

    void finish() {
        fill(end_of(segment_));
        segment_.block_count = static_cast<std::uint32_t>(snapshot_.blocks.size()) - segment_.first_block;
        snapshot_.segments.push_back(segment_);
    }

private:
    void fill(std::uint64_t end) {
        if (at_ < end) snapshot_.blocks.push_back({at_, end - at_, 0, BlockState::inactive, StackId::none()});
    }

    Snapshot& snapshot_;
    Segment segment_;
    std::uint64_t at_;
};

}  // namespace

void SegmentReplay::take(Action action, Segment segment) {
    if (segment.total_bytes > std::numeric_limits<std::uint64_t>::max() - segment.address) return;
    switch (action) {
        case Action::segment_alloc: by_address_.insert_or_assign(segment.address, segment); break;
        case Action::segment_free: by_address_.erase(segment.address); break;
        case Action::segment_map: map(segment); break;
        case Action::segment_unmap: unmap(segment.address, end_of(segment)); break;
        default: break;
    }
}

void SegmentReplay::map(const Segment& segment) {
    auto here = by_address_.insert_or_assign(segment.address, segment).first;
    here->second.is_expandable = true;
    const auto next = std::next(here);
    if (next != by_address_.end() && are_one(here->second, next->second)) {
        here->second.total_bytes += next->second.total_bytes;
        by_address_.erase(next);
    }
    if (here == by_address_.begin() || !are_one(std::prev(here)->second, here->second)) return;
    std::prev(here)->second.total_bytes += here->second.total_bytes;
    by_address_.erase(here);
}

void SegmentReplay::unmap(std::uint64_t begin, std::uint64_t end) {
    auto at = by_address_.upper_bound(begin);
    if (at != by_address_.begin()) --at;
    while (at != by_address_.end() && at->first < end) {
        const Segment whole = at->second;
        if (end_of(whole) <= begin) {
            ++at;
            continue;
        }
        at = by_address_.erase(at);
        Segment left = whole;
        left.total_bytes = begin - std::min(begin, whole.address);
        if (left.total_bytes > 0) by_address_.emplace(left.address, left);
        Segment right = whole;
        right.address = end;
        right.total_bytes = end_of(whole) - std::min(end, end_of(whole));
        if (right.total_bytes > 0) by_address_.emplace(right.address, right);
    }
}

std::uint64_t SegmentReplay::write(std::vector<Block> live, Snapshot& snapshot) const {
    std::ranges::stable_sort(live, {}, &Block::address);
    std::uint64_t astray = 0;
    auto block = live.begin();
    for (const auto& [address, segment] : by_address_) {
        for (; block != live.end() && block->address < address; ++block) ++astray;
        BlockRow row(snapshot, segment);
        for (; block != live.end() && block->address < end_of(segment); ++block) astray += row.add(*block) ? 0U : 1U;
        row.finish();
    }
    return astray + static_cast<std::uint64_t>(live.end() - block);
}

}  // namespace snapviewer
