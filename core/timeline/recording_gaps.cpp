#include "core/timeline/recording_gaps.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/json_text.h"
#include "core/base/number_text.h"
#include "core/trace/segments.h"

namespace snapviewer {
namespace {

bool is_true(const nlohmann::json& value) {
    if (value.is_boolean()) return value.get<bool>();
    return value.is_number() && value != 0;
}

void report_overflow(Snapshot& snapshot, const DeviceTrace& trace) {
    if (!is_ring_buffer_full(snapshot, trace)) return;
    const std::optional<std::uint64_t> ring_capacity = recorded_ring_capacity(snapshot);
    snapshot.log.add("ring_buffer_wrapped", {},
                     {ring_capacity ? fmt::format(" ({})", counted(*ring_capacity, "event")) : ""});
}

void report_missing_stacks(Snapshot& snapshot, const DeviceTrace& trace) {
    const EventColumns& events = trace.events;
    std::uint64_t missing = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (events.action[i] == Action::alloc && !events.stack[i].is_some()) ++missing;
    }
    if (missing == 0) return;
    snapshot.log.add("alloc_without_stack", {.count = missing});
}

/// The largest sum, over all oom events, of the reserved memory and the driver's free memory: all memory that is available
/// to this process. nullopt if that is unknown.
std::optional<std::uint64_t> capacity_bytes(const Snapshot& snapshot, const DeviceTrace& trace) {
    if (std::ranges::find(trace.events.action, Action::oom) == trace.events.action.end()) return std::nullopt;
    const std::optional<ReservedHistory> reserved = reserved_history(snapshot, trace);
    std::optional<std::uint64_t> capacity;
    for (std::uint32_t event = 0; reserved && event < trace.events.size(); ++event) {
        if (!trace.events.is_oom(event)) continue;
        const auto free_bytes = trace.events.free_bytes(event);
        if (!free_bytes) return std::nullopt;
        capacity = std::max(capacity.value_or(0), reserved->after_events(event) + *free_bytes);
    }
    return capacity;
}

void report_impossible_total(Snapshot& snapshot, const DeviceTrace& trace) {
    const std::optional<std::uint64_t> capacity = capacity_bytes(snapshot, trace);
    if (!capacity) return;
    const std::uint64_t peak = peak_bytes(trace);
    if (peak <= *capacity) return;
    snapshot.log.add("total_above_capacity", {}, {format_bytes(peak), trace.device, format_bytes(*capacity)});
}

}  // namespace

std::optional<std::uint64_t> recorded_ring_capacity(const Snapshot& snapshot) {
    std::uint64_t ring_capacity = 0;
    const bool is_known =
        read_number(setting_text(snapshot, "trace_alloc_max_entries"), ring_capacity) > 0 && ring_capacity > 0;
    return is_known ? std::optional(ring_capacity) : std::nullopt;
}

bool states_overflow(const Snapshot& snapshot) {
    const nlohmann::json value = parse_json(setting_text(snapshot, "trace_alloc_overflowed"));
    // The value is one flag for all devices, or a list or dict with a flag for each.
    return value.is_structured() ? std::any_of(value.begin(), value.end(), is_true) : is_true(value);
}

bool is_ring_buffer_full(const Snapshot& snapshot, const DeviceTrace& trace) {
    const std::optional<std::uint64_t> ring_capacity = recorded_ring_capacity(snapshot);
    return trace.events.size() > 0 &&
           ((ring_capacity && trace.events.size() >= *ring_capacity) || states_overflow(snapshot));
}

void report_recording(Snapshot& snapshot, DeviceTrace& trace) {
    report_overflow(snapshot, trace);
    report_missing_stacks(snapshot, trace);
    find_reserved_known(snapshot, trace);
    report_impossible_total(snapshot, trace);
}

bool has_ring_overflowed(const Snapshot& snapshot) {
    return std::ranges::any_of(snapshot.log.entries(), [](const ImportEntry& entry) {
        return entry.code == ImportCode("ring_buffer_wrapped").kind->name;
    });
}

namespace {

/// Replays all events and checks that blocks lie in segments.
class ReservedCheck {
public:
    ReservedCheck(const Snapshot& snapshot, const DeviceTrace& trace)
        : snapshot_(snapshot), trace_(trace), ranges_(snapshot, trace) {}

    /// The reason that reserved memory is known only at the end; nullopt if it is known throughout.
    std::optional<std::string> objection() {
        const EventColumns& events = trace_.events;
        for (std::size_t event = events.size(); event-- > 0;) {
            if (is_segment_event(events.action[event])) ranges_.undo(event);
        }
        if (ranges_.contradicts()) return "the segment events contradict the segments";
        if (!open_initial_ranges()) return "blocks from before the recording lie in no segment";
        for (std::size_t event = 0; event < events.size(); ++event) {
            if (auto why = check_event(event)) return why;
        }
        return std::nullopt;
    }

private:
    using Range = SegmentMap<ReservedRanges::Use>::Range;

    /// The range that contains an address, or null. Caches the last range per MiB of addresses, so that a lookup near the
    /// previous one takes some nanoseconds.
    Range* range_around(std::uint64_t address) {
        constexpr std::size_t k_page_bits = 20;
        Seen& seen = seen_[(address >> k_page_bits) % seen_.size()];
        if (seen.range != nullptr && seen.begin <= address && address < seen.range->end) return seen.range;
        const auto found = ranges_.map().find(address);
        if (found == ranges_.map().ranges().end()) return nullptr;
        seen = {found->first, &found->second};
        return seen.range;
    }

    bool open_initial_ranges() {
        for (std::uint32_t i = 0; i < trace_.initial_count; ++i) {
            Range* range = range_around(trace_.allocations.address[i]);
            if (range == nullptr) return false;
            ++range->value.open_blocks;
        }
        return true;
    }

    std::optional<std::string> check_event(std::size_t event) {
        const Action action = trace_.events.action[event];
        const std::uint64_t address = trace_.events.address[event];
        if (action == Action::alloc) {
            Range* range = range_around(address);
            if (range == nullptr) return fmt::format("the block of event {} lies in no segment", id_of(event));
            ++range->value.open_blocks;
        } else if (action == Action::free_completed) {
            Range* range = range_around(address);
            if (range != nullptr && range->value.open_blocks > 0) --range->value.open_blocks;
        } else if (is_segment_event(action)) {
            if (action == Action::segment_free && is_used(address, event))
                return fmt::format("the segment that event {} frees still holds blocks", id_of(event));
            ranges_.apply(event);
            seen_ = {};
            if (ranges_.contradicts()) return fmt::format("event {} contradicts the segments", id_of(event));
        }
        return std::nullopt;
    }

    /// True if a segment contains a live block. The count of open blocks is too high if a free was not recorded and the
    /// address was used again. Only then this looks up the addresses of live blocks, which it tracks up to the given event.
    bool is_used(std::uint64_t segment, std::size_t event) {
        const Range* range = ranges_.map().at(segment);
        if (range == nullptr || range->value.open_blocks == 0) return false;
        for (; next_open_event_ < event; ++next_open_event_) note_open(next_open_event_);
        const auto first = open_addresses_.lower_bound(segment);
        return first != open_addresses_.end() && *first < range->end;
    }

    void note_open(std::size_t event) {
        if (event == 0) {
            for (std::uint32_t i = 0; i < trace_.initial_count; ++i) open_addresses_.insert(trace_.allocations.address[i]);
        }
        const Action action = trace_.events.action[event];
        if (action == Action::alloc) open_addresses_.insert(trace_.events.address[event]);
        if (action == Action::free_completed) open_addresses_.erase(trace_.events.address[event]);
    }

    /// The id of an event in the SQL table `events`.
    std::int64_t id_of(std::size_t event) const {
        return first_event_id(snapshot_, trace_) + static_cast<std::int64_t>(event);
    }

    const Snapshot& snapshot_;
    const DeviceTrace& trace_;
    ReservedRanges ranges_;
    struct Seen {
        std::uint64_t begin = 0;
        Range* range = nullptr;
    };
    std::array<Seen, 1024> seen_{};
    std::set<std::uint64_t> open_addresses_;
    std::size_t next_open_event_ = 0;
};

bool has_segment_events(const DeviceTrace& trace) { return std::ranges::any_of(trace.events.action, is_segment_event); }

/// True if a segment has a stack, so that it was made while stacks were recorded and should have an event, unless the ring
/// buffer dropped that.
bool segment_events_were_skipped(const Snapshot& snapshot, const DeviceTrace& trace) {
    const AllocationColumns& allocations = trace.allocations;
    for (std::uint32_t i = 0; i < trace.initial_count; ++i) {
        const bool was_recorded = allocations.origin[i] == Origin::standing && allocations.stack[i].is_some();
        if (allocations.origin[i] == Origin::freed || was_recorded) return false;
    }
    return !states_overflow(snapshot) && std::ranges::any_of(snapshot.segments, [&](const Segment& segment) {
        return segment.device == trace.device && segment.stack.is_some();
    });
}

}  // namespace

void find_reserved_known(Snapshot& snapshot, DeviceTrace& trace) {
    trace.reserved_known = ReservedKnown::no;
    if (std::ranges::count(snapshot.segments, trace.device, &Segment::device) == 0) return;
    trace.reserved_known = ReservedKnown::throughout;
    std::optional<std::string> objection;
    if (trace.cut_off == CutOff::in_the_events) {
        objection = "the file is cut off before the end of its events";
    } else if (trace.events.size() > 0 && !has_segment_events(trace)) {
        snapshot.log.add("no_segment_events", {}, {trace.device});
        if (segment_events_were_skipped(snapshot, trace))
            objection = "segments were reserved during the recording, but no event records it";
    }
    if (!objection) objection = ReservedCheck(snapshot, trace).objection();
    if (!objection) return;
    trace.reserved_known = ReservedKnown::at_end;
    snapshot.log.add("reserved_at_end", {}, {trace.device, *objection});
}

}  // namespace snapviewer
