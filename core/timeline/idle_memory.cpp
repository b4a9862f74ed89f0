#include "core/timeline/overlays.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/budget.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

constexpr std::uint64_t k_block_bytes = 512;  // sizes of blocks are multiples of this

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
            for (const Block& block : snapshot.blocks_of(segment)) {
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

EventId alloc_event_of_peak(const Timeline& picture) {
    const std::uint32_t tick = picture.peak_tick();
    const AllocationId id = picture.allocation_at_tick(tick);
    if (picture.tick_events()[tick] == 0 || !id.is_some()) return EventId::none();
    return picture.trace().allocations.alloc_event[id.value];
}

/// Adds the markers of the oom events, and the capacity that follows from them.
void add_ooms(const EventColumns& events, const AxisPlaces& places, const ReservedHistory* reserved, Landmarks& found) {
    const std::set<std::uint32_t> recovered = recovered_ooms(events);
    std::uint64_t capacity_bytes = 0;
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (!events.is_oom(event)) continue;
        OomState oom{events.free_bytes(event), recovered.contains(event), {}};
        if (reserved != nullptr) oom.reserved_bytes = reserved->after_events(event);
        if (oom.reserved_bytes && oom.device_free_bytes)
            capacity_bytes = std::max(capacity_bytes, *oom.reserved_bytes + *oom.device_free_bytes);
        found.markers.push_back({Marker::Kind::oom, places.of_event(event), EventId{event}, events.size_bytes[event], oom});
    }
    if (capacity_bytes == 0) return;
    found.levels.push_back({"capacity", "capacity",
                            "The most memory that was reserved or free on the driver when memory ran out. It does not "
                            "include what other programs held at that time.",
                            static_cast<double>(capacity_bytes)});
}

/// The text that the program attached to an annotate event.
std::string annotation_of(const Timeline& timeline, EventId event) {
    const Snapshot& snapshot = timeline.snapshot();
    const MetadataId metadata = timeline.trace().events.metadata[event.value];
    const StringId note = metadata.is_some() ? snapshot.metadata[metadata.value].user_metadata : StringId::none();
    return shortened(snapshot.strings.view(note), limits::k_max_source_bytes);
}

void add_peak_facts(const Timeline& picture, MarkerFacts& facts) {
    const std::uint32_t tick = picture.peak_tick();
    facts.emplace_back("total",
                       (known_peak(picture).is_lower_bound ? "at least " : "") + format_bytes_exactly(picture.peak_bytes()));
    facts.emplace_back("live allocations", format_count(picture.live_after_tick(tick).size()));
    facts.emplace_back("step", format_count(picture.step_of_tick(tick)));
}

void add_oom_facts(const Timeline& device, const Marker& marker, MarkerFacts& facts) {
    const OomState& oom = *marker.oom;
    if (oom.is_recovered) facts.emplace_back("afterwards", "the run went on");
    facts.emplace_back("requested", format_bytes_exactly(marker.bytes.value_or(0)));
    facts.emplace_back("free on the driver",
                       oom.device_free_bytes ? format_bytes_exactly(*oom.device_free_bytes) : "unknown");
    if (!oom.reserved_bytes) return;
    facts.emplace_back("reserved", format_bytes_exactly(*oom.reserved_bytes));
    const std::optional<Holes> holes = holes_at(device, marker);
    if (!holes) return;
    facts.emplace_back("reserved but unused", format_bytes_exactly(holes->total_bytes));
    facts.emplace_back("largest hole", format_bytes_exactly(holes->largest_bytes));
    facts.emplace_back("holes", format_count(holes->count));
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
    using Request = std::pair<std::uint64_t, std::uint32_t>;  // address and event of a request

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
        // Tuples of address, number of events up to the alloc, and id of the allocation.
        std::vector<std::tuple<std::uint64_t, std::uint32_t, AllocationId>> waiting;
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
    std::unordered_map<std::uint64_t, std::uint32_t, KeyedHash> open_;  // event of the open request at each address
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

Landmarks find_landmarks(const Timeline& device, const AxisPlaces& places, const ReservedHistory* reserved) {
    const EventColumns& events = device.trace().events;
    const Timeline& picture = places.picture();
    Landmarks found;
    const auto add = [&](Marker::Kind kind, std::uint32_t event, std::optional<std::uint64_t> bytes) {
        found.markers.push_back({kind, places.of_event(event), EventId{event}, bytes, {}});
    };
    if (picture.peak_bytes() > 0)
        found.markers.push_back({Marker::Kind::peak,
                                 places.of_tick(picture.peak_tick()),
                                 alloc_event_of_peak(picture),
                                 picture.peak_bytes(),
                                 {}});
    for (std::uint32_t event = 0; event < events.size(); ++event) {
        if (events.action[event] == Action::snapshot) add(Marker::Kind::snapshot, event, events.size_bytes[event]);
        if (events.action[event] == Action::annotate) add(Marker::Kind::annotate, event, std::nullopt);
    }
    // Marks the end of the recorded events, where the gap begins.
    if (device.trace().unseen_actions > 0)
        add(Marker::Kind::cut_off, static_cast<std::uint32_t>(events.size() - 1), std::nullopt);
    add_ooms(events, places, reserved, found);
    std::ranges::stable_sort(found.markers, {}, [](const Marker& marker) { return marker.place.step; });
    return found;
}

std::string marker_label(const Timeline& picture, const Marker& marker) {
    switch (marker.kind) {
        case Marker::Kind::peak: {
            const KnownPeak known = known_peak(picture);
            const char* words = known.is_at_end ? "at the end: " : known.is_lower_bound ? "peak: at least " : "peak: ";
            return words + format_bytes(picture.peak_bytes());
        }
        case Marker::Kind::oom: return fmt::format("out of memory: {} requested", format_bytes(marker.bytes.value_or(0)));
        case Marker::Kind::snapshot: return "snapshot taken";
        case Marker::Kind::annotate: {
            const std::string text = annotation_of(picture, marker.event);
            return text.empty() ? "annotated" : text;
        }
        case Marker::Kind::cut_off: return "the file is cut off: later events are missing";
    }
    return "";
}

MarkerFacts marker_facts(const Timeline& device, const Timeline& picture, const Marker& marker) {
    const EventColumns& events = device.trace().events;
    MarkerFacts facts;
    if (marker.kind == Marker::Kind::peak)
        add_peak_facts(picture, facts);
    else
        facts.emplace_back("event", format_count(marker.event.value));
    if (marker.event.is_some() && events.time_us[marker.event.value] != k_no_time)
        facts.emplace_back("time", format_wall_clock_us(events.time_us[marker.event.value]));
    if (marker.kind == Marker::Kind::oom) add_oom_facts(device, marker, facts);
    if (marker.kind == Marker::Kind::snapshot)
        facts.emplace_back("active at that time", format_bytes_exactly(marker.bytes.value_or(0)));
    if (marker.kind == Marker::Kind::annotate && events.address[marker.event.value] != 0)
        facts.emplace_back("block", fmt::format("{:#x}", events.address[marker.event.value]));
    return facts;
}

std::optional<Holes> holes_at(const Timeline& device, const Marker& marker) {
    if (!marker.oom || !marker.oom->reserved_bytes) return std::nullopt;
    const std::vector<Holes> holes = holes_after_events(device, std::span(&marker.event.value, 1));
    return holes.empty() ? std::nullopt : std::optional(holes.front());
}

std::uint32_t tick_of_marker(const Timeline& picture, const Marker& marker) {
    if (marker.kind == Marker::Kind::peak || !marker.event.is_some()) return picture.peak_tick();
    const auto done_by = picture.tick_events();
    const auto later = std::ranges::upper_bound(done_by, marker.event.value + 1);
    return static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(later - done_by.begin(), 1) - 1);
}

}  // namespace snapviewer
