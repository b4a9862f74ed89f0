#include "core/timeline/pending.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "core/base/keyed_hash.h"

namespace snapviewer {
namespace {

class PendingFinder {
public:
    explicit PendingFinder(const Timeline& timeline) : timeline_(timeline), events_(timeline.trace().events) {}

    std::vector<PendingSpan> run() {
        const auto count = static_cast<std::uint32_t>(events_.size());
        for (std::uint32_t event = 0; event < count; ++event) {
            switch (events_.action[event]) {
                case Action::free_requested:
                    if (is_completed_at_once(event)) {
                        ++event;
                    } else {
                        open_.try_emplace(events_.address[event], event);
                    }
                    break;
                case Action::free_completed:
                    if (!open_.empty()) complete(event);
                    break;
                case Action::alloc:  // the address is used again, so the completion was lost
                    if (!open_.empty()) give_up(events_.address[event]);
                    break;
                default: break;
            }
        }
        for (const auto& [address, event] : open_) never_completed_.emplace_back(address, event);
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

    void complete(std::uint32_t event) {
        const auto request = open_.find(events_.address[event]);
        if (request == open_.end()) return;
        const auto done_by = timeline_.tick_events();
        const auto tick = static_cast<std::uint32_t>(std::ranges::lower_bound(done_by, event + 1) - done_by.begin());
        const AllocationId id = timeline_.allocation_at_tick(tick);
        if (id.is_some() && timeline_.trace().allocations.free_event[id.value] == EventId{event})
            spans_.push_back({id, EventId{request->second}, event});
        open_.erase(request);
    }

    void give_up(std::uint64_t address) {
        const auto request = open_.find(address);
        if (request == open_.end()) return;
        never_completed_.emplace_back(address, request->second);
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
