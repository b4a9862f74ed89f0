#include "core/timeline/collect.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/base/context.h"

namespace snapviewer {
namespace {

/// The address range [begin, end).
struct Span {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
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
    struct Open {
        std::uint64_t end = 0;
        std::uint32_t number = 0;
    };

    Span span_of(std::uint32_t event) const {
        const std::uint64_t begin = events_.address[event];
        return {begin, begin + std::min(events_.size_bytes[event], ~begin)};
    }

    AllocationRow from_event(std::uint32_t event, Span span, Origin origin) const {
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
        open_[found.address] = {found.address + found.size_bytes, found_.begin(found)};
    }

    void end(std::uint32_t event, std::uint32_t number) { found_.end(number, EventId{event}); }

    /// Adds a range that existed before the recording and that this event ends.
    void end_unseen(std::uint32_t event, Span span) {
        end(event, found_.stands_before(from_event(event, span, Origin::freed)));
    }

    void reserve(std::uint32_t event) { begin(event, from_event(event, span_of(event), Origin::alloc)); }

    void release(std::uint32_t event) {
        const auto open = open_.find(events_.address[event]);
        if (open == open_.end()) {
            end_unseen(event, span_of(event));
            return;
        }
        end(event, open->second.number);
        open_.erase(open);
    }

    void map(std::uint32_t event) {
        cut(event, span_of(event));  // overlaps an open mapping if an unmap event was lost
        begin(event, from_event(event, span_of(event), Origin::alloc));
    }

    void unmap(std::uint32_t event) {
        const Span span = span_of(event);
        for (const Span& unseen : without_open(span)) end_unseen(event, unseen);
        cut(event, span);
    }

    /// Ends the open mappings that overlap a span. Parts outside the span begin again as new mappings.
    void cut(std::uint32_t event, Span span) {
        auto at = open_.upper_bound(span.begin);
        if (at != open_.begin() && std::prev(at)->second.end > span.begin) --at;
        std::vector<AllocationRow> rests;
        while (at != open_.end() && at->first < span.end) {
            AllocationRow rest = found_.row(at->second.number);
            end(event, at->second.number);
            rest.origin = Origin::alloc;
            if (at->first < span.begin) {
                rest.size_bytes = span.begin - at->first;
                rests.push_back(rest);
            }
            if (at->second.end > span.end) {
                rest.address = span.end;
                rest.size_bytes = at->second.end - span.end;
                rests.push_back(rest);
            }
            at = open_.erase(at);
        }
        for (const AllocationRow& rest : rests) begin(event, rest);
    }

    /// The parts of a span that no open mapping covers.
    std::vector<Span> without_open(Span span) const {
        std::vector<Span> parts;
        auto at = open_.upper_bound(span.begin);
        if (at != open_.begin() && std::prev(at)->second.end > span.begin) --at;
        std::uint64_t from = span.begin;
        for (; at != open_.end() && at->first < span.end; ++at) {
            if (at->first > from) parts.push_back({from, at->first});
            from = std::max(from, at->second.end);
        }
        if (from < span.end) parts.push_back({from, span.end});
        return parts;
    }

    /// Ends open mappings that do not lie in a segment of the snapshot: they were unmapped in the missing part of the file.
    void end_what_is_gone() {
        std::map<std::uint64_t, std::uint64_t> held;  // begin -> end, with adjacent ranges merged
        for (const Segment& segment : snapshot_.segments) {
            if (segment.device == trace_.device) reach(span_of(segment), held);
        }
        std::erase_if(open_, [&](const auto& open) {
            const auto after = held.upper_bound(open.first);
            const bool is_held = after != held.begin() && std::prev(after)->second >= open.second.end;
            if (!is_held) found_.end(open.second.number, EventId::none());
            return !is_held;
        });
    }

    static Span span_of(const Segment& segment) {
        return {segment.address, segment.address + std::min(segment.total_bytes, ~segment.address)};
    }

    /// Returns the parts of a span that `reached` does not contain, and adds the span to `reached`. `reached` maps begin to
    /// end, with adjacent ranges merged.
    static std::vector<Span> reach(Span span, std::map<std::uint64_t, std::uint64_t>& reached) {
        std::vector<Span> parts;
        auto at = reached.upper_bound(span.begin);
        if (at != reached.begin() && std::prev(at)->second >= span.begin) --at;
        std::uint64_t from = span.begin;
        Span whole = span;
        while (at != reached.end() && at->first <= span.end) {
            if (at->first > from) parts.push_back({from, at->first});
            from = std::max(from, at->second);
            whole = {std::min(whole.begin, at->first), std::max(whole.end, at->second)};
            at = reached.erase(at);
        }
        if (from < span.end) parts.push_back({from, span.end});
        reached.emplace(whole.begin, whole.end);
        return parts;
    }

    void add_standing(const Segment& segment) {
        const Span whole = span_of(segment);
        std::vector<Span> parts;
        if (segment.is_expandable) {
            // Segments of a damaged file may overlap. Each address counts once.
            for (const Span& part : reach(whole, reached_)) std::ranges::copy(without_open(part), std::back_inserter(parts));
        } else if (!open_.contains(segment.address)) {
            parts.push_back(whole);
        }
        for (const Span& part : parts) {
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
    std::map<std::uint64_t, Open> open_;              // open mappings by first address
    std::map<std::uint64_t, std::uint64_t> reached_;  // ranges of expandable segments, begin -> end
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
