#include "core/trace/segments.h"

#include <algorithm>

namespace snapviewer {
namespace {

bool holds(const Segment& segment, std::uint64_t address) {
    return address >= segment.address && address - segment.address < segment.total_bytes;
}

/// Assigns numbers to streams in the order of first appearance.
class StreamNumbers {
public:
    explicit StreamNumbers(const Snapshot& snapshot)
        : streams_(snapshot.streams), numbers_(streams_.size(), k_unseen), unseen_(streams_.size()) {
        for (std::size_t i = 0; i < streams_.size(); ++i) {
            if (streams_[i] == 0) give(i, 0);
        }
    }

    bool is_complete() const { return unseen_ == 0; }
    void see(std::uint16_t stream) {
        if (stream < numbers_.size() && numbers_[stream] == k_unseen) give(stream, next_++);
    }
    /// Returns the numbers. Streams that nothing refers to get the last ones.
    std::vector<std::uint32_t> take() {
        for (std::size_t i = 0; i < numbers_.size(); ++i) see(static_cast<std::uint16_t>(i));
        return std::move(numbers_);
    }

private:
    static constexpr std::uint32_t k_unseen = 0xFFFFFFFF;

    void give(std::size_t stream, std::uint32_t number) {
        numbers_[stream] = number;
        --unseen_;
    }

    const std::vector<std::uint64_t>& streams_;
    std::vector<std::uint32_t> numbers_;
    std::size_t unseen_;
    std::uint32_t next_ = 1;
};

}  // namespace

SegmentIndex::SegmentIndex(const Snapshot& snapshot, std::int32_t device) {
    for (const Segment& segment : snapshot.segments) {
        if (segment.device == device) by_address_.push_back(&segment);
    }
    std::ranges::stable_sort(by_address_, {}, [](const Segment* segment) { return segment->address; });
}

const Segment* SegmentIndex::find(std::uint64_t address) {
    if (last_ != nullptr && holds(*last_, address)) return last_;
    const auto after =
        std::ranges::upper_bound(by_address_, address, {}, [](const Segment* segment) { return segment->address; });
    if (after == by_address_.begin() || !holds(**(after - 1), address)) return nullptr;
    last_ = *(after - 1);
    return last_;
}

void find_pools(const Snapshot& snapshot, DeviceTrace& trace) {
    if (snapshot.pools.empty()) return;
    SegmentIndex segments(snapshot, trace.device);
    AllocationColumns& allocations = trace.allocations;
    for (std::size_t i = 0; i < allocations.size(); ++i) {
        if (allocations.pool[i] != k_no_pool) continue;
        const Segment* segment = segments.find(allocations.address[i]);
        if (segment != nullptr) allocations.pool.set(i, segment->pool);
    }
}

bool is_private_pool(const Snapshot& snapshot, std::uint16_t pool) {
    return pool != k_no_pool && snapshot.pools[pool] != std::pair<std::int64_t, std::int64_t>{0, 0};
}

void number_streams(Snapshot& snapshot) {
    StreamNumbers numbers(snapshot);
    for (const DeviceTrace& trace : snapshot.devices) {
        for (std::size_t i = 0; i < trace.events.size() && !numbers.is_complete(); ++i) numbers.see(trace.events.stream[i]);
    }
    for (const Segment& segment : snapshot.segments) numbers.see(segment.stream);
    snapshot.stream_numbers = numbers.take();
}

std::uint32_t stream_number(const Snapshot& snapshot, std::uint16_t stream) {
    return stream < snapshot.stream_numbers.size() ? snapshot.stream_numbers[stream] : stream;
}

std::uint64_t ReservedHistory::after_events(std::uint32_t event_count) const {
    const auto after = std::ranges::lower_bound(events, event_count) - events.begin();
    return after == 0 ? bytes_at_start : bytes_after[static_cast<std::size_t>(after - 1)];
}

std::optional<std::uint64_t> reserved_at_end(const Snapshot& snapshot, const DeviceTrace& trace) {
    if (trace.reserved_known == ReservedKnown::no) return std::nullopt;
    std::uint64_t bytes = 0;
    for (const Segment& segment : snapshot.segments) {
        if (segment.device == trace.device) bytes += segment.total_bytes;
    }
    return bytes;
}

std::optional<ReservedHistory> reserved_history(const Snapshot& snapshot, const DeviceTrace& trace) {
    if (trace.reserved_known != ReservedKnown::throughout) return std::nullopt;
    std::uint64_t reserved = *reserved_at_end(snapshot, trace);
    ReservedHistory history;
    for (std::size_t event = trace.events.size(); event-- > 0;) {
        const Action action = trace.events.action[event];
        const bool grows = action == Action::segment_alloc || action == Action::segment_map;
        if (!grows && action != Action::segment_free && action != Action::segment_unmap) continue;
        history.events.push_back(static_cast<std::uint32_t>(event));
        history.bytes_after.push_back(reserved);
        const std::uint64_t size_bytes = trace.events.size_bytes[event];
        if (grows && size_bytes > reserved) return std::nullopt;
        reserved += grows ? 0 - size_bytes : size_bytes;
    }
    history.bytes_at_start = reserved;
    std::ranges::reverse(history.events);
    std::ranges::reverse(history.bytes_after);
    return history;
}

ReservedRanges::ReservedRanges(const Snapshot& snapshot, std::int32_t device) {
    for (const Segment& segment : snapshot.segments) {
        if (segment.device == device) add(segment.address, {segment.address + segment.total_bytes, segment.is_expandable});
    }
}

void ReservedRanges::undo(const EventColumns& events, std::size_t event) {
    const std::uint64_t begin = events.address[event];
    const std::uint64_t end = begin + events.size_bytes[event];
    switch (events.action[event]) {
        case Action::segment_alloc:
        case Action::segment_map: cut(begin, end); break;
        case Action::segment_free: add(begin, {end, false}); break;
        case Action::segment_unmap: add(begin, {end, true}); break;
        default: break;
    }
}

void ReservedRanges::add(std::uint64_t begin, Range range) {
    if (range.end <= begin) return;
    auto next = ranges_.lower_bound(begin);
    if (range.is_expandable) {
        if (next != ranges_.begin()) {
            const auto before = std::prev(next);
            if (before->second.is_expandable && before->second.end >= begin) {
                begin = before->first;
                range.end = std::max(range.end, before->second.end);
                next = ranges_.erase(before);
            }
        }
        for (; next != ranges_.end() && next->second.is_expandable && next->first <= range.end; next = ranges_.erase(next))
            range.end = std::max(range.end, next->second.end);
    }
    ranges_.insert_or_assign(begin, range);
}

void ReservedRanges::cut(std::uint64_t begin, std::uint64_t end) {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin()) --at;
    while (at != ranges_.end() && at->first < end) {
        const auto [first, range] = *at;
        if (range.end <= begin) {
            ++at;
            continue;
        }
        at = ranges_.erase(at);
        if (first < begin) ranges_.emplace(first, Range{begin, range.is_expandable});
        if (range.end > end) ranges_.emplace(end, Range{range.end, range.is_expandable});
    }
}

bool ReservedRanges::holds(std::uint64_t address) const {
    const auto after = ranges_.upper_bound(address);
    return after != ranges_.begin() && std::prev(after)->second.end > address;
}

}  // namespace snapviewer
