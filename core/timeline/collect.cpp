#include "core/timeline/collect.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/base/hash.h"
#include "core/base/memory.h"
#include "core/trace/segment_map.h"

namespace snapviewer {
namespace {

/// Number of events between two checks for a stop request. Processing them takes well below a millisecond.
constexpr std::uint32_t k_collected_between_stop_checks = 4096;

/// Puts the allocations of a trace in drawing order, as memory_viz does. Allocations are added in the order in which the
/// trace reveals them. Those from before the first event come first, in reverse order of their discovery; the others follow
/// in the order in which they begin. Fills the trace's columns on the way.
///
/// Each method that adds an allocation returns a temporary number, which identifies the allocation in later calls.
class DrawingOrder {
public:
    /// Precondition: the trace has no allocations and no actions yet. It must outlive this object.
    explicit DrawingOrder(DeviceTrace& trace) : trace_(trace) {}

    /// Reserves address space for this number of actions, and half as many allocations. Unused space takes no memory.
    void expect(std::size_t actions) {
        trace_.allocations.reserve(actions / 2);
        trace_.actions.reserve(actions);
    }
    /// Adds an allocation that begins now, and returns its number.
    std::uint32_t begin(const AllocationRow& allocation) {
        const auto number = static_cast<std::uint32_t>(trace_.allocations.size());
        trace_.allocations.push(allocation);
        trace_.actions.push_back(AllocationId{number});
        return number;
    }
    /// Adds an allocation from before the first event, and returns its number.
    std::uint32_t add_before_recording(const AllocationRow& allocation) {
        standing_.push(allocation);
        return k_last_number - static_cast<std::uint32_t>(standing_.size() - 1);
    }
    /// Adds an allocation that is in the segments at the end but has no alloc event, and returns its number. It was made
    /// before the first event. In a cut-off trace the time of its alloc is unknown, and it begins now, after the last event.
    std::uint32_t add_at_end(AllocationRow allocation) {
        const bool is_cut_off = trace_.cut_off == CutOff::in_the_events;
        allocation.origin = is_cut_off ? Origin::unplaced : Origin::standing;
        return is_cut_off && !trace_.actions.empty() ? begin(allocation) : add_before_recording(allocation);
    }
    /// Ends an allocation. `event` is its free event, or none() if the file lacks it.
    void end(std::uint32_t number, EventId event) {
        const auto [allocations, row] = place_of(number);
        allocations.free_event[row] = event;
        allocations.state[row] = AllocationState::freed;
        trace_.actions.push_back(AllocationId{number});
    }
    void await_free(std::uint32_t number) {
        const auto [allocations, row] = place_of(number);
        allocations.state[row] = AllocationState::awaiting_free;
    }
    /// Sets the stack of an allocation whose event has none.
    void complete_stack(std::uint32_t number, StackId stack) {
        const auto [allocations, row] = place_of(number);
        if (!allocations.stack[row].is_some()) allocations.stack[row] = stack;
    }
    AllocationRow row(std::uint32_t number) {
        const auto [allocations, row] = place_of(number);
        return allocations.row(row);
    }

    /// Completes allocations, initial_count and actions. If there are no actions, the topmost initial allocation becomes
    /// one, so that the picture has one step. Call once.
    void finish() {
        const auto count = static_cast<std::uint32_t>(standing_.size());
        if (count == 0) return;
        const bool is_all = trace_.actions.empty();
        for (AllocationId& id : trace_.actions)
            id = AllocationId{is_standing(id.value) ? count - 1 - (k_last_number - id.value) : id.value + count};
        trace_.allocations.insert_reversed(standing_);
        trace_.initial_count = is_all ? count - 1 : count;
        if (is_all) trace_.actions.push_back(AllocationId{count - 1});
    }

private:
    static constexpr std::uint32_t k_last_number = 0xFFFFFFFE;  // allocations without an event count down from it

    bool is_standing(std::uint32_t number) const { return number > k_last_number - standing_.size(); }
    std::pair<AllocationColumns&, std::size_t> place_of(std::uint32_t number) {
        if (is_standing(number)) return {standing_, k_last_number - number};
        return {trace_.allocations, number};
    }

    DeviceTrace& trace_;
    AllocationColumns standing_;  ///< allocations from before the first event, in the order of their discovery
};

AllocationRow row_of_event(const EventColumns& events, std::uint32_t event, Origin origin) {
    AllocationRow found;
    found.address = events.address[event];
    found.size_bytes = events.size_bytes[event];
    found.stream = events.stream[event];
    found.pool = events.pool[event];
    found.origin = origin;
    found.stack = events.stack[event];
    return found;
}

class Collector {
public:
    Collector(Snapshot& snapshot, DeviceTrace& trace)
        : snapshot_(snapshot), trace_(trace), events_(trace.events), found_(trace) {}

    void run() {
        found_.expect(events_.size());
        for (std::uint32_t index = 0; index < events_.size(); ++index) {
            if (index % k_collected_between_stop_checks == 0) {
                check_stop();
                prepare_room();
            }
            take_event(index);
        }
        const std::size_t seen_actions = trace_.actions.size();
        const bool breaks_off = trace_.cut_off == CutOff::in_the_events && seen_actions > 0;
        if (breaks_off && !snapshot_.segments.empty()) end_missing();
        add_standing_blocks();
        trace_.unseen_actions = static_cast<std::uint32_t>(trace_.actions.size() - seen_actions);
        found_.finish();
        report();
    }

private:
    void prepare_room() {
        std::apply([&](const auto&... columns) { growth_.prefault_growth(columns..., trace_.actions); },
                   AllocationColumns::fields(std::as_const(trace_.allocations)));
    }

    void take_event(std::uint32_t index) {
        const std::uint64_t address = events_.address[index];
        switch (events_.action[index]) {
            case Action::alloc: {
                AllocationRow allocation = row_of_event(events_, index, Origin::alloc);
                allocation.alloc_event = EventId{index};
                const std::uint32_t number = found_.begin(allocation);
                std::uint32_t& open = open_.find_or_add(address, address_of(), number);
                if (open != number && reopened_++ == 0) first_reopened_ = index;
                open = number;
                break;
            }
            case Action::free_requested: {
                const std::uint32_t number = open_.find(address, address_of());
                if (number != HashIndex::k_absent) found_.await_free(number);
                break;
            }
            case Action::free_completed: {
                std::uint32_t number = open_.find(address, address_of());
                if (number != HashIndex::k_absent) {
                    open_.erase(address, address_of());
                } else {
                    number = found_.add_before_recording(row_of_event(events_, index, Origin::freed));
                }
                found_.end(number, EventId{index});
                break;
            }
            default: break;
        }
    }

    /// Returns the address of an allocation, the key of open_.
    struct AddressOf {
        const DeviceTrace& trace;
        std::uint64_t operator()(std::uint32_t allocation) const { return trace.allocations.address[allocation]; }
    };
    AddressOf address_of() const { return {trace_}; }

    /// Calls `visit(address, block, segment)` for each of the device's blocks in use.
    template <typename Visit>
    void for_each_block_in_use(Visit visit) {
        for (const Segment& segment : snapshot_.segments) {
            if (segment.device != trace_.device) continue;
            check_stop();
            std::uint64_t address = segment.address;
            for (const Block& block : snapshot_.blocks_of(segment)) {
                if (block.state != BlockState::inactive) visit(address, block, segment);
                address += block.size_bytes;
            }
        }
    }

    /// Ends allocations that are open after the last event but not in the segments: they were freed in the missing part of
    /// the file. Goes from the top of the picture down, because ending a lower allocation makes all allocations above it
    /// slide.
    void end_missing() {
        std::vector<bool> is_held(trace_.allocations.size());
        for_each_block_in_use([&](std::uint64_t address, const Block& block, const Segment&) {
            const std::uint32_t number = open_.find(address, address_of());
            if (number != HashIndex::k_absent && trace_.allocations.size_bytes[number] == block.requested_bytes)
                is_held[number] = true;
        });
        for (auto number = static_cast<std::uint32_t>(is_held.size()); number-- > 0;) {
            const std::uint64_t address = trace_.allocations.address[number];
            if (is_held[number] || open_.find(address, address_of()) != number) continue;
            open_.erase(address, address_of());
            found_.end(number, EventId::none());
        }
    }

    /// Adds allocations for blocks in use that no event mentions, and completes the stacks and states of the others.
    void add_standing_blocks() {
        for_each_block_in_use([&](std::uint64_t address, const Block& block, const Segment& segment) {
            std::uint32_t number = open_.find(address, address_of());
            if (number == HashIndex::k_absent) {
                number = found_.add_at_end({.address = address,
                                            .size_bytes = block.requested_bytes,
                                            .stream = segment.stream,
                                            .pool = segment.pool,
                                            .stack = block.stack});
            } else {
                found_.complete_stack(number, block.stack);  // recordings with context="state" have stacks of blocks only
            }
            if (block.state == BlockState::active_pending_free) found_.await_free(number);
        });
    }

    void report() {
        const std::string device = " on device " + std::to_string(trace_.device);
        const auto report_origin = [&](Origin origin, ImportCode code, std::initializer_list<ImportValue> values = {}) {
            const auto count = std::ranges::count(trace_.allocations.origin, origin);
            if (count > 0) snapshot_.log.add(code, {.count = static_cast<std::uint64_t>(count)}, values);
        };
        report_origin(
            Origin::freed, "freed_before_seen",
            {"allocations from before the recording, known only from their free; the stack shown is that of the free"});
        report_origin(Origin::standing, "standing_blocks");
        report_origin(Origin::unplaced, "unplaced_blocks");
        if (reopened_ > 0) {
            snapshot_.log.add("alloc_on_open_address", {.count = reopened_}, {first_reopened_, device});
        }
    }

    Snapshot& snapshot_;
    DeviceTrace& trace_;
    const EventColumns& events_;
    DrawingOrder found_;
    GrowthAhead<10> growth_;
    HashIndex open_;  ///< allocations that are open, by address
    std::uint64_t reopened_ = 0;
    std::uint32_t first_reopened_ = 0;
};

/// The number of an allocation that represents a mapping.
struct MappedRange {
    std::uint32_t number = 0;
    static bool join(const MappedRange&) { return false; }
};

struct Covered {
    static bool join(const Covered&) { return true; }
};

class SegmentCollector {
public:
    SegmentCollector(const Snapshot& snapshot, DeviceTrace& trace)
        : snapshot_(snapshot), trace_(trace), events_(trace.events), found_(trace) {}

    void run() {
        for (std::uint32_t event = 0; event < events_.size(); ++event) {
            if (event % k_collected_between_stop_checks == 0) {
                check_stop();
                report_done(event, events_.size());
            }
            switch (events_.action[event]) {
                case Action::segment_alloc: begin(event, from_event(event, span_of(event), Origin::alloc)); break;
                case Action::segment_free: release(event); break;
                case Action::segment_map: map(event); break;
                case Action::segment_unmap: unmap(event); break;
                default: break;
            }
        }
        const std::size_t seen_actions = trace_.actions.size();
        const bool breaks_off = trace_.cut_off == CutOff::in_the_events && seen_actions > 0;
        if (breaks_off && !snapshot_.segments.empty()) end_missing();
        for (const Segment& segment : snapshot_.segments) {
            if (segment.device != trace_.device) continue;
            check_stop();
            add_standing(segment);
        }
        trace_.unseen_actions = static_cast<std::uint32_t>(trace_.actions.size() - seen_actions);
        found_.finish();
    }

private:
    static AddressSpan span_at(std::uint64_t begin, std::uint64_t size_bytes) {
        return {begin, begin + std::min(size_bytes, ~begin)};
    }
    static AddressSpan span_of(const Segment& segment) { return span_at(segment.address, segment.total_bytes); }
    AddressSpan span_of(std::uint32_t event) const { return span_at(events_.address[event], events_.size_bytes[event]); }

    AllocationRow from_event(std::uint32_t event, AddressSpan span, Origin origin) const {
        AllocationRow found = row_of_event(events_, event, origin);
        found.address = span.begin;
        found.size_bytes = span.end - span.begin;
        return found;
    }

    void begin(std::uint32_t event, AllocationRow found) {
        found.alloc_event = EventId{event};
        open_.add({found.address, found.address + found.size_bytes}, {found_.begin(found)});
    }

    /// Adds a range that existed before the recording and that this event ends.
    void end_unrecorded(std::uint32_t event, AddressSpan span) {
        found_.end(found_.add_before_recording(from_event(event, span, Origin::freed)), EventId{event});
    }

    void release(std::uint32_t event) {
        const auto* open = open_.at(events_.address[event]);
        if (open == nullptr) {
            end_unrecorded(event, span_of(event));
            return;
        }
        found_.end(open->value.number, EventId{event});
        open_.erase(events_.address[event]);
    }

    void map(std::uint32_t event) {
        cut(event, span_of(event));  // if an unmap event was lost, the span overlaps an open mapping
        begin(event, from_event(event, span_of(event), Origin::alloc));
    }

    void unmap(std::uint32_t event) {
        const AddressSpan span = span_of(event);
        for (const AddressSpan& unseen : open_.gaps(span)) end_unrecorded(event, unseen);
        cut(event, span);
    }

    /// Ends the open mappings that overlap a span. Parts outside the span begin again as new mappings.
    void cut(std::uint32_t event, AddressSpan span) {
        std::vector<AllocationRow> rests;
        for (const auto& [first, mapping] : open_.cut(span)) {
            AllocationRow rest = found_.row(mapping.value.number);
            found_.end(mapping.value.number, EventId{event});
            rest.origin = Origin::alloc;
            if (first < span.begin) {
                rest.size_bytes = span.begin - first;
                rests.push_back(rest);
            }
            if (mapping.end > span.end) {
                rest.address = span.end;
                rest.size_bytes = mapping.end - span.end;
                rests.push_back(rest);
            }
        }
        for (const AllocationRow& rest : rests) begin(event, rest);
    }

    /// Ends open mappings that do not lie in a segment of the snapshot: they were unmapped in the missing part of the file.
    void end_missing() {
        SegmentMap<Covered> held;
        for (const Segment& segment : snapshot_.segments) {
            if (segment.device == trace_.device) add_uncovered(span_of(segment), held);
        }
        std::vector<std::uint64_t> gone;
        for (const auto& [first, mapping] : open_.ranges()) {
            const auto around = held.find(first);
            if (around != held.ranges().end() && around->second.end >= mapping.end) continue;
            found_.end(mapping.value.number, EventId::none());
            gone.push_back(first);
        }
        for (const std::uint64_t first : gone) open_.erase(first);
    }

    /// Adds a span to `covered`. Returns the parts of it that were not covered before.
    static std::vector<AddressSpan> add_uncovered(AddressSpan span, SegmentMap<Covered>& covered) {
        std::vector<AddressSpan> parts = covered.gaps(span);
        for (const AddressSpan& part : parts) covered.add(part, {});
        return parts;
    }

    void add_standing(const Segment& segment) {
        const AddressSpan whole = span_of(segment);
        std::vector<AddressSpan> parts;
        if (segment.is_expandable) {
            // Segments of a damaged file may overlap. Each address counts once.
            for (const AddressSpan& part : add_uncovered(whole, expandable_))
                std::ranges::copy(open_.gaps(part), std::back_inserter(parts));
        } else if (open_.at(segment.address) == nullptr) {
            parts.push_back(whole);
        }
        for (const AddressSpan& part : parts) {
            found_.add_at_end({.address = part.begin,
                               .size_bytes = part.end - part.begin,
                               .stream = segment.stream,
                               .pool = segment.pool,
                               .stack = segment.stack});
        }
    }

    const Snapshot& snapshot_;
    DeviceTrace& trace_;
    const EventColumns& events_;
    DrawingOrder found_;
    SegmentMap<MappedRange> open_;
    SegmentMap<Covered> expandable_;  ///< addresses of the snapshot's expandable segments so far
};

}  // namespace

void collect_allocations(Snapshot& snapshot, DeviceTrace& trace) { Collector(snapshot, trace).run(); }

std::shared_ptr<const DeviceTrace> collect_segments(const Snapshot& snapshot, const DeviceTrace& device) {
    auto trace = std::make_shared<DeviceTrace>();
    trace->device = device.device;
    trace->part = device.part;
    trace->kind = ViewKind::segments;
    trace->cut_off = device.cut_off;
    trace->events = device.events;
    SegmentCollector(snapshot, *trace).run();
    return trace;
}

}  // namespace snapviewer
