#include "core/query/derived_tables.h"

#include <algorithm>
#include <tuple>

#include "core/base/context.h"
#include "core/query/catalog.h"
#include "core/trace/segments.h"

namespace snapviewer {
namespace {

/// Finds the holes of a segment. Adjacent free blocks form one hole.
Holes holes_in(const Snapshot& snapshot, const Segment& segment) {
    Holes holes;
    std::uint64_t run_bytes = 0;
    const auto end_run = [&] {
        if (run_bytes == 0) return;
        holes.total_bytes += run_bytes;
        holes.largest_bytes = std::max(holes.largest_bytes, run_bytes);
        ++holes.count;
        run_bytes = 0;
    };
    for (std::uint32_t i = 0; i < segment.block_count; ++i) {
        const Block& block = snapshot.blocks[segment.first_block + i];
        if (block.state == BlockState::inactive) {
            run_bytes += block.size_bytes;
        } else {
            end_run();
        }
    }
    end_run();
    return holes;
}

std::optional<std::int64_t> step_at(const AxisPlaces& places, std::int64_t time_us) {
    if (time_us == k_no_time) return std::nullopt;
    return static_cast<std::int64_t>(places.step_of_next_action(time_us));
}

}  // namespace

DerivedRows::DerivedRows(std::shared_ptr<const Snapshot> snapshot, std::vector<std::shared_ptr<const Timeline>> timelines)
    : snapshot_(std::move(snapshot)), timelines_(std::move(timelines)), reserved_(timelines_.size()) {}

const std::optional<ReservedHistory>& DerivedRows::reserved_of(std::size_t device_index) {
    auto& history = reserved_[device_index];
    if (!history) history = reserved_history(*snapshot_, timelines_[device_index]->trace());
    return *history;
}

std::optional<std::int64_t> DerivedRows::reserved(std::size_t device_index, std::uint32_t tick) {
    const std::optional<ReservedHistory>& history = reserved_of(device_index);
    const Timeline& timeline = *timelines_[device_index];
    if (!history) {
        const bool is_end = tick + 1 == timeline.tick_count();
        const auto at_end = is_end ? reserved_at_end(*snapshot_, timeline.trace()) : std::nullopt;
        return at_end ? std::optional(static_cast<std::int64_t>(*at_end)) : std::nullopt;
    }
    return static_cast<std::int64_t>(history->after_events(timeline.tick_events()[tick]));
}

void DerivedRows::find_landmarks_of_all() {
    if (markers_) return;
    markers_.emplace();
    for (std::size_t i = 0; i < timelines_.size(); ++i) {
        const std::optional<ReservedHistory>& history = reserved_of(i);
        Landmarks found = find_landmarks(*timelines_[i], AxisPlaces(*timelines_[i]), history ? &*history : nullptr);
        for (Marker& marker : found.markers) markers_->push_back({i, std::move(marker)});
        capacities_.push_back(found.levels.empty() ? std::nullopt
                                                   : std::optional(static_cast<std::int64_t>(found.levels.front().bytes)));
    }
}

const std::vector<DerivedRows::MarkerRow>& DerivedRows::markers() {
    find_landmarks_of_all();
    return *markers_;
}

std::optional<std::int64_t> DerivedRows::capacity(std::size_t device_index) {
    find_landmarks_of_all();
    return capacities_[device_index];
}

const std::vector<DerivedRows::RangeRow>& DerivedRows::ranges() {
    if (ranges_) return *ranges_;
    ranges_.emplace();
    for (const AnnotationRange& range : annotation_ranges(*snapshot_)) {
        RangeRow& row = ranges_->emplace_back();
        row.range = range;
        const auto timeline = std::ranges::find_if(
            timelines_, [&](const auto& each) { return each->trace().device == range.device && each->has_times(); });
        if (timeline == timelines_.end()) continue;
        const AxisPlaces places(**timeline);
        row.start_step = step_at(places, range.start_us);
        row.end_step = step_at(places, range.end_us);
    }
    return *ranges_;
}

const std::vector<DerivedRows::PendingRow>& DerivedRows::pending() {
    if (pending_) return *pending_;
    pending_.emplace();
    for (std::size_t i = 0; i < timelines_.size(); ++i) {
        for (const PendingSpan& span : pending_frees(*timelines_[i])) pending_->push_back({i, span});
    }
    return *pending_;
}

const StackLines& DerivedRows::stack_lines() {
    if (!stack_lines_) {
        // A stop request would throw an exception, and none may pass through SQLite, which calls this function.
        const ContextScope never_stopped({});
        stack_lines_ = StackLines::build(*snapshot_);
    }
    return *stack_lines_;
}

void DerivedRows::find_holes() {
    if (holes_) return;
    holes_.emplace();
    for (const Segment& segment : snapshot_->segments) holes_->push_back(holes_in(*snapshot_, segment));
}

const Holes& DerivedRows::segment_holes(std::size_t segment) {
    find_holes();
    return (*holes_)[segment];
}

const std::vector<DerivedRows::PoolRow>& DerivedRows::pools() {
    if (pools_) return *pools_;
    find_holes();
    pools_.emplace();
    for (std::size_t i = 0; i < snapshot_->segments.size(); ++i) {
        const Segment& segment = snapshot_->segments[i];
        auto row = std::ranges::find_if(
            *pools_, [&](const PoolRow& each) { return each.device == segment.device && each.pool == segment.pool; });
        if (row == pools_->end()) row = pools_->insert(row, {segment.device, segment.pool, 0, 0, 0, 0, {}});
        ++row->segments;
        row->reserved_bytes += segment.total_bytes;
        row->allocated_bytes += segment.allocated_bytes;
        row->active_bytes += segment.active_bytes;
        row->holes.total_bytes += (*holes_)[i].total_bytes;
        row->holes.largest_bytes = std::max(row->holes.largest_bytes, (*holes_)[i].largest_bytes);
        row->holes.count += (*holes_)[i].count;
    }
    std::ranges::stable_sort(
        *pools_, [](const PoolRow& a, const PoolRow& b) { return std::tie(a.device, a.pool) < std::tie(b.device, b.pool); });
    return *pools_;
}

const DerivedRows::StackUse& DerivedRows::use_of(StackId stack) {
    if (stack_uses_.empty()) {
        stack_uses_.resize(snapshot_->stacks.stack_count());
        for (const DeviceTrace& trace : snapshot_->devices) {
            const AllocationColumns& allocations = trace.allocations;
            for (std::size_t i = 0; i < allocations.size(); ++i) {
                if (!allocations.stack[i].is_some() || allocations.origin[i] == Origin::freed) continue;
                StackUse& use = stack_uses_[allocations.stack[i].value];
                ++use.count;
                use.bytes += allocations.size_bytes[i];
                use.largest_bytes = std::max(use.largest_bytes, allocations.size_bytes[i]);
            }
        }
    }
    return stack_uses_[stack.value];
}

// Tables that are computed from other data: markers, ranges, pending_frees, pools, streams.

namespace {

using Integer = std::optional<std::int64_t>;

Table markers_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto row = [s](std::size_t i) -> const DerivedRows::MarkerRow& { return s->derived->markers()[i]; };
    const auto marker = [row](std::size_t i) -> const Marker& { return row(i).marker; };
    const auto of_oom = [marker](auto read) {
        return [marker, read](std::size_t i) { return marker(i).oom ? read(*marker(i).oom) : std::nullopt; };
    };
    const auto of_holes = [s, row](auto read) {
        return [s, row, read](std::size_t i) {
            const auto holes = holes_at(*s->timelines[row(i).device_index], row(i).marker);
            return holes ? read(*holes) : Integer();
        };
    };
    return {"markers",
            "Moments of interest: the peak of each device, every out-of-memory, snapshot and annotate event, and the place "
            "where a file is cut off.",
            [s] { return s->derived->markers().size(); },
            {
                integer_column(
                    "device", "device number as in the file",
                    [s, row](std::size_t i) { return std::int64_t{s->snapshot->devices[row(i).device_index].device}; }),
                text_column("kind", "'peak', 'oom', 'snapshot', 'annotate' or 'cut_off'",
                            make_list_dictionary({"peak", "oom", "snapshot", "annotate", "cut_off"}),
                            [marker](std::size_t i) { return static_cast<std::uint32_t>(marker(i).kind); }),
                text_column("label", "in words",
                            make_function_dictionary([s] { return s->derived->markers().size(); },
                                                     [s, row](std::uint32_t i) {
                                                         return marker_label(*s->timelines[row(i).device_index],
                                                                             row(i).marker);
                                                     }),
                            [](std::size_t i) { return static_cast<std::uint32_t>(i); }),
                integer_column("step", "position in the picture",
                               [marker](std::size_t i) { return static_cast<std::int64_t>(marker(i).place.step); }),
                integer_column("time_us", "microseconds since 1970 (UTC); NULL if not recorded",
                               [s, row](std::size_t i) -> Integer {
                                   const EventId event = row(i).marker.event;
                                   if (!event.is_some()) return std::nullopt;
                                   return time_to_sql(s->snapshot->devices[row(i).device_index].events.time_us[event.value]);
                               }),
                integer_column("event_id", "events.id; NULL if it is not an event",
                               [s, row](std::size_t i) -> Integer {
                                   const EventId event = row(i).marker.event;
                                   if (!event.is_some()) return std::nullopt;
                                   return to_sql(CatalogSource::first_row(s->event_ends, row(i).device_index) + event.value);
                               }),
                integer_column("bytes",
                               "for 'peak': the total; for 'oom': the bytes requested; for 'snapshot': the active bytes; "
                               "NULL for 'annotate'",
                               [marker](std::size_t i) { return optional_to_sql(marker(i).bytes); }),
                integer_column("device_free", "for 'oom': bytes the driver reported as free; NULL if unknown",
                               of_oom([](const OomState& oom) { return optional_to_sql(oom.device_free_bytes); })),
                integer_column("reserved", "for 'oom': bytes reserved at that time; NULL if unknown",
                               of_oom([](const OomState& oom) { return optional_to_sql(oom.reserved_bytes); })),
                integer_column("unused", "for 'oom': idle bytes of these; NULL if unknown",
                               of_holes([](const Holes& holes) { return Integer(to_sql(holes.total_bytes)); })),
                integer_column("largest_hole", "for 'oom': bytes of the largest idle piece; NULL if unknown",
                               of_holes([](const Holes& holes) { return Integer(to_sql(holes.largest_bytes)); })),
                integer_column("recovered", "for 'oom': 1 if the run went on after it, else 0; otherwise NULL",
                               of_oom([](const OomState& oom) { return Integer(oom.is_recovered ? 1 : 0); })),
            }};
}

Table ranges_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto row = [s](std::size_t i) -> const DerivedRows::RangeRow& { return s->derived->ranges()[i]; };
    return {
        "ranges",
        "Named ranges of the program: starts and ends from `annotations`, paired by name and nesting within each device.",
        [s] { return s->derived->ranges().size(); },
        {
            row_number_column("id", "by device, then by start"),
            integer_column("device", "device number as in the file",
                           [row](std::size_t i) { return std::int64_t{row(i).range.device}; }),
            text_column("name", "name of the range", s->strings, [row](std::size_t i) { return row(i).range.name.value; }),
            integer_column("level", "nesting level; 0 is the outermost, and ranges of one level do not overlap",
                           [row](std::size_t i) { return std::int64_t{row(i).range.level}; }),
            integer_column("start_time_us", "microseconds since 1970 (UTC); NULL if its start was not recorded",
                           [row](std::size_t i) { return time_to_sql(row(i).range.start_us); }),
            integer_column("end_time_us", "microseconds since 1970 (UTC); NULL if its end was not recorded",
                           [row](std::size_t i) { return time_to_sql(row(i).range.end_us); }),
            integer_column("start_step",
                           "step of the first alloc or free from its start on, or the last step if there are none; NULL if "
                           "its start or the times of events were not recorded",
                           [row](std::size_t i) { return row(i).start_step; }),
            integer_column("end_step",
                           "the same for its end: its allocs have start_step <= alloc_step < end_step, its frees start_step "
                           "< free_step <= end_step",
                           [row](std::size_t i) { return row(i).end_step; }),
        }};
}

Table pending_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto row = [s](std::size_t i) -> const DerivedRows::PendingRow& { return s->derived->pending()[i]; };
    const auto allocations = [s, row](std::size_t i) -> const AllocationColumns& {
        return s->snapshot->devices[row(i).device_index].allocations;
    };
    const auto event_step = [s, row](std::size_t i, std::uint32_t event) {
        return static_cast<std::int64_t>(AxisPlaces(*s->timelines[row(i).device_index]).of_event(event).step);
    };
    const auto events = [s, row](std::size_t i) -> const EventColumns& {
        return s->snapshot->devices[row(i).device_index].events;
    };
    return {
        "pending_frees",
        "Frees that had to wait, because the program freed the memory while another stream could still use it.",
        [s] { return s->derived->pending().size(); },
        {
            integer_column("allocation_id", "allocations.id",
                           [s, row](std::size_t i) {
                               return to_sql(CatalogSource::first_row(s->allocation_ends, row(i).device_index) +
                                             row(i).span.id.value);
                           }),
            integer_column(
                "device", "device number as in the file",
                [s, row](std::size_t i) { return std::int64_t{s->snapshot->devices[row(i).device_index].device}; }),
            integer_column(
                "size", "bytes, as requested (not rounded)",
                [allocations, row](std::size_t i) { return to_sql(allocations(i).size_bytes[row(i).span.id.value]); }),
            integer_column("requested_event", "events.id of the request; NULL if it came before the first event",
                           [s, row](std::size_t i) -> Integer {
                               const EventId request = row(i).span.request;
                               if (!request.is_some()) return std::nullopt;
                               return to_sql(CatalogSource::first_row(s->event_ends, row(i).device_index) + request.value);
                           }),
            integer_column("completed_event", "events.id of its completion; NULL if it was never completed",
                           [s, row, events](std::size_t i) -> Integer {
                               if (row(i).span.to_event >= events(i).size()) return std::nullopt;
                               return to_sql(CatalogSource::first_row(s->event_ends, row(i).device_index) +
                                             row(i).span.to_event);
                           }),
            integer_column("requested_step", "step at which the free was requested; NULL if that was before the first event",
                           [row, event_step](std::size_t i) -> Integer {
                               const EventId request = row(i).span.request;
                               if (!request.is_some()) return std::nullopt;
                               return event_step(i, request.value);
                           }),
            integer_column("completed_step", "step at which it was completed; NULL if never",
                           [row, event_step, events](std::size_t i) -> Integer {
                               if (row(i).span.to_event >= events(i).size()) return std::nullopt;
                               return event_step(i, row(i).span.to_event);
                           }),
            integer_column("requested_time_us", "microseconds since 1970 (UTC); NULL if not recorded",
                           [row, events](std::size_t i) -> Integer {
                               const EventId request = row(i).span.request;
                               return request.is_some() ? time_to_sql(events(i).time_us[request.value]) : std::nullopt;
                           }),
            integer_column("completed_time_us", "microseconds since 1970 (UTC); NULL if not recorded or never completed",
                           [row, events](std::size_t i) -> Integer {
                               if (row(i).span.to_event >= events(i).size()) return std::nullopt;
                               return time_to_sql(events(i).time_us[row(i).span.to_event]);
                           }),
        }};
}

Table pools_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto row = [s](std::size_t i) -> const DerivedRows::PoolRow& { return s->derived->pools()[i]; };
    return {"pools",
            "Memory pools by device, as they were when the snapshot was taken.",
            [s] { return s->derived->pools().size(); },
            {
                integer_column("device", "device number as in the file",
                               [row](std::size_t i) { return std::int64_t{row(i).device}; }),
                text_column(
                    "pool", "as '(1, 2)'; '(0, 0)' is the default pool; NULL if not recorded", s->pools,
                    [row](std::size_t i) { return row(i).pool == k_no_pool ? k_null_code : std::uint32_t{row(i).pool}; }),
                integer_column("is_private", "1 for a pool of a CUDA graph or one created by the program, otherwise 0",
                               [s, row](std::size_t i) { return std::int64_t{is_private_pool(*s->snapshot, row(i).pool)}; }),
                integer_column("segments", "number of segments", [row](std::size_t i) { return to_sql(row(i).segments); }),
                integer_column("reserved", "bytes in these segments",
                               [row](std::size_t i) { return to_sql(row(i).reserved_bytes); }),
                integer_column("allocated", "bytes in allocated blocks, rounded",
                               [row](std::size_t i) { return to_sql(row(i).allocated_bytes); }),
                integer_column("active", "bytes in allocated blocks and in blocks waiting to be freed, rounded",
                               [row](std::size_t i) { return to_sql(row(i).active_bytes); }),
                integer_column("holes", "number of idle pieces between blocks",
                               [row](std::size_t i) { return to_sql(row(i).holes.count); }),
                integer_column("hole_bytes", "bytes in all of these pieces",
                               [row](std::size_t i) { return to_sql(row(i).holes.total_bytes); }),
                integer_column("largest_hole", "bytes in the largest of these pieces; a larger request needs new memory",
                               [row](std::size_t i) { return to_sql(row(i).holes.largest_bytes); }),
            }};
}

Table streams_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    return {"streams",
            "The streams in the file, always including the default stream.",
            [s] { return s->snapshot->streams.size(); },
            {
                integer_column("stream", "raw handle, as in the other tables; 0 is the default stream",
                               [s](std::size_t i) { return to_sql(s->snapshot->streams[i]); }),
                integer_column(
                    "number", "number as in memory_viz: in order of first appearance, with 0 for the default stream",
                    [s](std::size_t i) { return std::int64_t{stream_number(*s->snapshot, static_cast<std::uint16_t>(i))}; }),
            }};
}

}  // namespace

std::vector<Table> derived_tables(const CatalogSource& source) {
    return {markers_table(source), ranges_table(source), pending_table(source), pools_table(source), streams_table(source)};
}

}  // namespace snapviewer
