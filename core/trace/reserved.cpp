#include "core/trace/reserved.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/units.h"
#include "core/trace/live_walk.h"

namespace snapviewer {
namespace {

/// More than one part in so many of what is allocated must lie in no segment before the segments are held to be wrong.
constexpr std::uint64_t k_tolerated_part = 10;

/// A moment between two events, and how much more was allocated than reserved then.
struct Excess {
    std::size_t actions_done = 0;
    std::uint32_t events_done = 0;
    std::uint64_t allocated_bytes = 0;
    std::uint64_t reserved_bytes = 0;

    std::uint64_t bytes() const { return allocated_bytes > reserved_bytes ? allocated_bytes - reserved_bytes : 0; }
};

Excess largest_excess(const DeviceTrace& trace, const ReservedHistory& reserved) {
    LiveWalk walk(trace);
    Excess largest{0, 0, walk.total_bytes(), reserved.bytes_at_start};
    std::size_t changes = 0;
    std::uint64_t reserved_bytes = reserved.bytes_at_start;
    for (std::size_t i = 0; i < trace.actions.size(); ++i) {
        const AllocationId id = trace.actions[i];
        const AllocationColumns& allocations = trace.allocations;
        const EventId event = (walk.toggle(id) ? allocations.alloc_event : allocations.free_event)[id.value];
        if (!event.is_some()) continue;  // a picture of one step: nothing happened
        for (; changes < reserved.events.size() && reserved.events[changes] <= event.value; ++changes)
            reserved_bytes = reserved.bytes_after[changes];
        const Excess here{i + 1, event.value + 1, walk.total_bytes(), reserved_bytes};
        if (here.bytes() > largest.bytes()) largest = here;
    }
    return largest;
}

/// How much of what was live then lies in nothing that was reserved then.
std::uint64_t bytes_outside(const Snapshot& snapshot, const DeviceTrace& trace, const Excess& moment) {
    ReservedRanges reserved(snapshot, trace.device);
    for (std::size_t event = trace.events.size(); event-- > moment.events_done;) reserved.undo(trace.events, event);
    LiveWalk walk(trace);
    for (std::size_t i = 0; i < moment.actions_done; ++i) walk.toggle(trace.actions[i]);
    std::uint64_t outside_bytes = 0;
    for (std::size_t id = 0; id < trace.allocations.size(); ++id) {
        if (walk.is_live()[id] && !reserved.holds(trace.allocations.address[id]))
            outside_bytes += trace.allocations.size_bytes[id];
    }
    return outside_bytes;
}

}  // namespace

std::uint64_t ReservedHistory::after_events(std::uint32_t event_count) const {
    const auto after = std::ranges::lower_bound(events, event_count) - events.begin();
    return after == 0 ? bytes_at_start : bytes_after[static_cast<std::size_t>(after - 1)];
}

std::optional<ReservedHistory> reserved_history(const Snapshot& snapshot, const DeviceTrace& trace) {
    if (trace.reserved_is_wrong) return std::nullopt;
    std::uint64_t reserved = 0;
    bool has_segments = false;
    for (const Segment& segment : snapshot.segments) {
        if (segment.device != trace.device) continue;
        has_segments = true;
        reserved += segment.total_bytes;
    }
    if (!has_segments) return std::nullopt;
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

void check_reserved(Snapshot& snapshot, DeviceTrace& trace) {
    if (std::ranges::count(snapshot.segments, trace.device, &Segment::device) == 0) return;
    const std::optional<ReservedHistory> reserved = reserved_history(snapshot, trace);
    if (!reserved) {
        snapshot.log.add(
            ImportCode::segments_contradict_events,
            fmt::format("what was reserved on device {} is not shown, as its events reserve more than its segments "
                        "can have held before the snapshot was taken",
                        trace.device));
        return;
    }
    const Excess most = largest_excess(trace, *reserved);
    if (most.bytes() == 0) return;
    const std::uint64_t outside_bytes = bytes_outside(snapshot, trace, most);
    if (outside_bytes <= most.allocated_bytes / k_tolerated_part) return;
    trace.reserved_is_wrong = true;
    snapshot.log.add(ImportCode::reserved_below_allocated,
                     fmt::format("what was reserved on device {} is not shown, as the segments contradict the allocations: "
                                 "after {} events {} are allocated, {} more than the segments say was reserved then, and {} "
                                 "of it lie in no segment",
                                 trace.device, format_count(most.events_done), format_bytes(most.allocated_bytes),
                                 format_bytes(most.bytes()), format_bytes(outside_bytes)));
}

}  // namespace snapviewer
