#include "core/trace/segments.h"

#include <algorithm>

namespace snapviewer {
namespace {

bool holds(const Segment& segment, std::uint64_t address) {
    return address >= segment.address && address - segment.address < segment.total_bytes;
}

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

void number_streams(Snapshot& snapshot) {
    constexpr std::uint32_t k_unseen = 0xFFFFFFFF;
    std::vector<std::uint32_t>& numbers = snapshot.stream_numbers;
    numbers.clear();
    for (const std::uint64_t handle : snapshot.streams) numbers.push_back(handle == 0 ? 0 : k_unseen);
    auto unseen = std::ranges::count(numbers, k_unseen);
    std::uint32_t next = 1;
    const auto see = [&](std::size_t stream) {
        if (stream >= numbers.size() || numbers[stream] != k_unseen) return;
        numbers[stream] = next++;
        --unseen;
    };
    for (const DeviceTrace& trace : snapshot.devices) {
        for (std::size_t i = 0; i < trace.events.size() && unseen > 0; ++i) see(trace.events.stream[i]);
    }
    for (const Segment& segment : snapshot.segments) see(segment.stream);
    for (std::size_t i = 0; i < numbers.size(); ++i) see(i);  // streams that nothing refers to get the last numbers
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
        if (!is_segment_event(action)) continue;
        const bool grows = is_growth(action);
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

ReservedRanges::ReservedRanges(const Snapshot& snapshot, const DeviceTrace& trace) : events_(trace.events) {
    for (const Segment& segment : snapshot.segments) {
        if (segment.device != trace.device) continue;
        if (!add({segment.address, segment.address + segment.total_bytes}, segment.is_expandable)) contradicts_ = true;
    }
}

void ReservedRanges::change(std::size_t event, bool is_applied) {
    const AddressSpan span{events_.address[event], events_.address[event] + events_.size_bytes[event]};
    const Action action = events_.action[event];
    if (!is_segment_event(action)) return;
    const bool is_expandable = action == Action::segment_map || action == Action::segment_unmap;
    const bool is_possible = is_growth(action) == is_applied ? add(span, is_expandable)
                             : is_expandable                 ? cut(span)
                                                             : map_.erase(span.begin);
    if (!is_possible) contradicts_ = true;
}

bool ReservedRanges::add(AddressSpan span, bool is_expandable) {
    if (span.end <= span.begin) return true;
    if (map_.overlaps(span)) return false;
    map_.add(span, {is_expandable});
    return true;
}

bool ReservedRanges::cut(AddressSpan span) {
    const auto around = map_.find(span.begin);
    if (around == map_.ranges().end() || around->second.end < span.end) return false;
    map_.cut(span);
    return true;
}

}  // namespace snapviewer
