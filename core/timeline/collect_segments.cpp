#include "core/timeline/collect.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/base/context.h"
#include "core/trace/segment_map.h"

namespace snapviewer {
namespace {

/// The number of an allocation that stands for a mapping.
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
            if (event % k_events_between_looks == 0) {
                check_stop();
                report_done(event, events_.size());
            }
            switch (events_.action[event]) {
                case Action::segment_alloc: reserve(event); break;
                case Action::segment_free: release(event); break;
                case Action::segment_map: map(event); break;
                case Action::segment_unmap: unmap(event); break;
                default: break;
            }
        }
        const std::size_t seen_actions = trace_.actions.size();
        const bool breaks_off = trace_.cut_off == CutOff::in_the_events && seen_actions > 0;
        if (breaks_off && !snapshot_.segments.empty()) end_what_is_gone();
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
        AllocationRow found;
        found.address = span.begin;
        found.size_bytes = span.end - span.begin;
        found.stream = events_.stream[event];
        found.pool = events_.pool[event];
        found.origin = origin;
        found.stack = events_.stack[event];
        return found;
    }

    void begin(std::uint32_t event, AllocationRow found) {
        found.alloc_event = EventId{event};
        open_.add({found.address, found.address + found.size_bytes}, {found_.begin(found)});
    }

    void end(std::uint32_t event, std::uint32_t number) { found_.end(number, EventId{event}); }

    /// Adds a range that existed before the recording and that this event ends.
    void end_unseen(std::uint32_t event, AddressSpan span) {
        end(event, found_.stands_before(from_event(event, span, Origin::freed)));
    }

    void reserve(std::uint32_t event) { begin(event, from_event(event, span_of(event), Origin::alloc)); }

    void release(std::uint32_t event) {
        const auto* open = open_.at(events_.address[event]);
        if (open == nullptr) {
            end_unseen(event, span_of(event));
            return;
        }
        end(event, open->value.number);
        open_.erase(events_.address[event]);
    }

    void map(std::uint32_t event) {
        cut(event, span_of(event));  // overlaps an open mapping if an unmap event was lost
        begin(event, from_event(event, span_of(event), Origin::alloc));
    }

    void unmap(std::uint32_t event) {
        const AddressSpan span = span_of(event);
        for (const AddressSpan& unseen : open_.gaps(span)) end_unseen(event, unseen);
        cut(event, span);
    }

    /// Ends the open mappings that overlap a span. Parts outside the span begin again as new mappings.
    void cut(std::uint32_t event, AddressSpan span) {
        std::vector<AllocationRow> rests;
        for (const auto& [first, mapping] : open_.cut(span)) {
            AllocationRow rest = found_.row(mapping.value.number);
            end(event, mapping.value.number);
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
    void end_what_is_gone() {
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
            AllocationRow found;
            found.address = part.begin;
            found.size_bytes = part.end - part.begin;
            found.stream = segment.stream;
            found.pool = segment.pool;
            found.stack = segment.stack;
            found_.stands_at_the_end(found);
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
