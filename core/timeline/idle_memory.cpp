#include "core/timeline/idle_memory.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/trace/segments.h"

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

Holes holes_between(const SegmentMap<ReservedRanges::Use>& reserved, const std::vector<Used>& used) {
    Holes holes;
    const auto take = [&](std::uint64_t begin, std::uint64_t end) {
        if (begin >= end) return;
        holes.total_bytes += end - begin;
        holes.largest_bytes = std::max(holes.largest_bytes, end - begin);
        ++holes.count;
    };
    auto next = used.begin();
    for (const auto& [begin, range] : reserved.ranges()) {
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
    ReservedRanges reserved(timeline.snapshot(), timeline.trace());
    if (reserved.map().ranges().empty() || event_counts.empty()) return {};
    const UsedBlocks used(timeline);
    std::vector<Holes> holes(event_counts.size());
    std::size_t event = timeline.trace().events.size();
    for (std::size_t i = event_counts.size(); i-- > 0;) {
        for (; event > event_counts[i]; --event) reserved.undo(event - 1);
        holes[i] = holes_between(reserved.map(), used.after_events(event_counts[i]));
    }
    return holes;
}

namespace {

class PendingFinder {
public:
    explicit PendingFinder(const Timeline& timeline) : timeline_(timeline), events_(timeline.trace().events) {}

    std::vector<PendingSpan> run() {
        const auto count = static_cast<std::uint32_t>(events_.size());
        for (std::uint32_t event = 0; event < count; ++event) {
            switch (events_.action[event]) {
                case Action::free_requested:
                    if (is_completed_at_once(event))
                        ++event;
                    else
                        open_.try_emplace(events_.address[event], event);
                    break;
                case Action::free_completed:
                case Action::alloc: close(event); break;
                default: break;
            }
        }
        never_completed_.insert(never_completed_.end(), open_.begin(), open_.end());
        add_never_completed();
        return std::move(spans_);
    }

private:
    using Request = std::pair<std::uint64_t, std::uint32_t>;  // address, event

    bool is_completed_at_once(std::uint32_t event) const {
        const std::uint32_t next = event + 1;
        return next < events_.size() && events_.action[next] == Action::free_completed &&
               events_.address[next] == events_.address[event];
    }

    /// Ends the open request at the event's address. If that is an alloc, the address is used again, so the completion was
    /// lost.
    void close(std::uint32_t event) {
        if (open_.empty()) return;
        const auto request = open_.find(events_.address[event]);
        if (request == open_.end()) return;
        if (events_.action[event] == Action::alloc) {
            never_completed_.emplace_back(*request);
        } else {
            const auto done_by = timeline_.tick_events();
            const auto tick = static_cast<std::uint32_t>(std::ranges::lower_bound(done_by, event + 1) - done_by.begin());
            const AllocationId id = timeline_.allocation_at_tick(tick);
            if (id.is_some() && timeline_.trace().allocations.free_event[id.value] == EventId{event})
                spans_.push_back({id, EventId{request->second}, event});
        }
        open_.erase(request);
    }

    /// Assigns each request to the last allocation at its address that began before it.
    void add_never_completed() {
        if (never_completed_.empty()) return;
        const AllocationColumns& allocations = timeline_.trace().allocations;
        std::vector<std::tuple<std::uint64_t, std::uint32_t, AllocationId>> waiting;  // address, events before it, id
        for (std::uint32_t i = 0; i < allocations.size(); ++i) {
            if (allocations.state[i] != AllocationState::awaiting_free) continue;
            const EventId alloc = allocations.alloc_event[i];
            waiting.emplace_back(allocations.address[i], alloc.is_some() ? alloc.value + 1 : 0, AllocationId{i});
        }
        std::ranges::sort(waiting);
        const auto end = static_cast<std::uint32_t>(events_.size());
        for (const auto& [address, event] : never_completed_) {
            const auto after = std::ranges::upper_bound(waiting, std::tuple(address, event, AllocationId::none()));
            if (after == waiting.begin()) continue;
            const auto& [at_address, events_before, id] = *(after - 1);
            if (at_address == address) spans_.push_back({id, EventId{event}, end});
        }
    }

    const Timeline& timeline_;
    const EventColumns& events_;
    std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> open_;  // event of the open request by address
    std::vector<Request> never_completed_;
    std::vector<PendingSpan> spans_;
};

std::vector<PendingSpan> recorded_requests(const Timeline& timeline) {
    const DeviceTrace& trace = timeline.trace();
    if (trace.free_requests.empty()) return PendingFinder(timeline).run();
    std::vector<PendingSpan> spans;
    const auto end = static_cast<std::uint32_t>(trace.events.size());
    for (const FreeRequest& request : trace.free_requests) {
        const EventId done = trace.allocations.free_event[request.allocation.value];
        spans.push_back({request.allocation, request.event, done.is_some() ? done.value : end});
    }
    return spans;
}

}  // namespace

std::vector<PendingSpan> pending_frees(const Timeline& timeline) {
    std::vector<PendingSpan> spans = recorded_requests(timeline);
    const AllocationColumns& allocations = timeline.trace().allocations;
    std::vector<bool> has_request(allocations.size());
    for (const PendingSpan& span : spans) has_request[span.id.value] = true;
    const auto end = static_cast<std::uint32_t>(timeline.trace().events.size());
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        const bool waits = allocations.state[i] == AllocationState::awaiting_free;
        if (waits && !has_request[i] && allocations.origin[i] == Origin::standing)
            spans.push_back({AllocationId{i}, EventId::none(), end});
    }
    std::ranges::stable_sort(spans, {}, &PendingSpan::events_before);
    return spans;
}

}  // namespace snapviewer
