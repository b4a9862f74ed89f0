#include <algorithm>
#include <tuple>

#include "core/base/context.h"
#include "core/query/catalog.h"

namespace snapviewer::query {
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
    for (const Block& block : snapshot.blocks_of(segment)) {
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
        RangeRow& row = ranges_->emplace_back(RangeRow{range, {}, {}});
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
        const std::size_t events = timelines_[i]->trace().events.size();
        for (const PendingSpan& span : pending_frees(*timelines_[i]))
            pending_->push_back({span, i, span.to_event < events ? EventId{span.to_event} : EventId::none()});
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

const Holes& DerivedRows::segment_holes(std::size_t segment) {
    if (holes_.empty()) {
        for (const Segment& each : snapshot_->segments) holes_.push_back(holes_in(*snapshot_, each));
    }
    return holes_[segment];
}

const std::vector<DerivedRows::PoolRow>& DerivedRows::pools() {
    if (pools_) return *pools_;
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
        const Holes& holes = segment_holes(i);
        row->holes.total_bytes += holes.total_bytes;
        row->holes.largest_bytes = std::max(row->holes.largest_bytes, holes.largest_bytes);
        row->holes.count += holes.count;
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

Table markers_table(const CatalogSource& s) {
    using Row = DerivedRows::MarkerRow;
    const TableFields field([&s] { return s.derived->markers().size(); },
                            [&s](std::size_t row) -> const Row& { return s.derived->markers()[row]; });
    // Creates a field of an out-of-memory event, which is NULL for other markers.
    const auto oom_field = [&field](const char* name, FieldUnit unit, const char* sentence, auto get) {
        return field(name, unit, sentence, [get](const Row& row) {
            return row.marker.oom ? to_sql(std::invoke(get, *row.marker.oom)) : std::nullopt;
        });
    };
    const auto hole_field = [&s, &field](const char* name, const char* sentence, std::uint64_t Holes::*get) {
        return field(name, FieldUnit::bytes, sentence, [&s, get](const Row& row) {
            const auto holes = holes_at(*s.timelines[row.device_index], row.marker);
            return holes ? to_sql((*holes).*get) : std::nullopt;
        });
    };
    const std::vector<Column> columns = {
        field("device", FieldUnit::id, "device number as in the file",
              [&s](const Row& row) { return s.snapshot->devices[row.device_index].device; }),
        field("kind", make_list_dictionary({"peak", "oom", "snapshot", "annotate", "cut_off"}),
              "'peak', 'oom', 'snapshot', 'annotate' or 'cut_off'", [](const Row& row) { return row.marker.kind; }),
        field("label", FieldUnit::text, "in words",
              [&s](const Row& row) { return marker_label(*s.timelines[row.device_index], row.marker); }),
        field("step", FieldUnit::step, "position in the picture", [](const Row& row) { return row.marker.place.step; }),
        field("time_us", FieldUnit::microseconds, "microseconds since 1970 (UTC); NULL if not recorded",
              [&s](const Row& row) { return s.event_time(row.device_index, row.marker.event); }),
        field("event_id", FieldUnit::event, "events.id; NULL if it is not an event",
              [&s](const Row& row) { return s.event_id(row.device_index, row.marker.event); }),
        field("bytes", FieldUnit::bytes,
              "for 'peak': the total; for 'oom': the bytes requested; for 'snapshot': the active bytes; NULL for "
              "'annotate'",
              [](const Row& row) { return row.marker.bytes; }),
        oom_field("device_free", FieldUnit::bytes, "for 'oom': bytes the driver reported as free; NULL if unknown",
                  &OomState::device_free_bytes),
        oom_field("reserved", FieldUnit::bytes, "for 'oom': bytes reserved at that time; NULL if unknown",
                  &OomState::reserved_bytes),
        hole_field("unused", "for 'oom': idle bytes of these; NULL if unknown", &Holes::total_bytes),
        hole_field("largest_hole", "for 'oom': bytes of the largest idle piece; NULL if unknown", &Holes::largest_bytes),
        oom_field("recovered", FieldUnit::flag, "for 'oom': 1 if the run went on after it, else 0; otherwise NULL",
                  &OomState::is_recovered),
    };
    return {"markers",
            "Moments of interest: the peak of each device, every out-of-memory, snapshot and annotate event, and the place "
            "where a file is cut off.",
            field.row_count(), columns};
}

Table ranges_table(const CatalogSource& s) {
    using Row = DerivedRows::RangeRow;
    const TableFields field([&s] { return s.derived->ranges().size(); },
                            [&s](std::size_t row) -> const Row& { return s.derived->ranges()[row]; });
    const std::vector<Column> columns = {
        row_number_column("id", "by device, then by start"),
        field("device", FieldUnit::id, "device number as in the file", &Row::device),
        field("name", s.strings, "name of the range", &Row::name),
        field("level", FieldUnit::count, "nesting level; 0 is the outermost, and ranges of one level do not overlap",
              &Row::level),
        field("start_time_us", FieldUnit::microseconds, "microseconds since 1970 (UTC); NULL if its start was not recorded",
              [](const Row& row) { return known_time(row.start_us); }),
        field("end_time_us", FieldUnit::microseconds, "microseconds since 1970 (UTC); NULL if its end was not recorded",
              [](const Row& row) { return known_time(row.end_us); }),
        field("start_step", FieldUnit::step,
              "step of the first alloc or free from its start on, or the last step if there are none; NULL if its start "
              "or the times of events were not recorded",
              &Row::start_step),
        field("end_step", FieldUnit::step,
              "the same for its end: its allocs have start_step <= alloc_step < end_step, its frees start_step < "
              "free_step <= end_step",
              &Row::end_step),
    };
    return {
        "ranges",
        "Named ranges of the program: starts and ends from `annotations`, paired by name and nesting within each device.",
        field.row_count(), columns};
}

Table pending_table(const CatalogSource& s) {
    using Row = DerivedRows::PendingRow;
    const TableFields field([&s] { return s.derived->pending().size(); },
                            [&s](std::size_t row) -> const Row& { return s.derived->pending()[row]; });
    const auto step_of = [&s](const Row& row, EventId event) {
        return event.is_some() ? to_sql(AxisPlaces(*s.timelines[row.device_index]).of_event(event.value).step)
                               : std::nullopt;
    };
    const std::vector<Column> columns = {
        field("allocation_id", FieldUnit::id, "allocations.id",
              [&s](const Row& row) { return CatalogSource::first_row(s.allocation_ends, row.device_index) + row.id.value; }),
        field("device", FieldUnit::id, "device number as in the file",
              [&s](const Row& row) { return s.snapshot->devices[row.device_index].device; }),
        field("size", FieldUnit::bytes, "bytes, as requested (not rounded)",
              [&s](const Row& row) { return s.snapshot->devices[row.device_index].allocations.size_bytes[row.id.value]; }),
        field("requested_event", FieldUnit::event, "events.id of the request; NULL if it came before the first event",
              [&s](const Row& row) { return s.event_id(row.device_index, row.request); }),
        field("completed_event", FieldUnit::event, "events.id of its completion; NULL if it was never completed",
              [&s](const Row& row) { return s.event_id(row.device_index, row.completion); }),
        field("requested_step", FieldUnit::step,
              "step at which the free was requested; NULL if that was before the first event",
              [step_of](const Row& row) { return step_of(row, row.request); }),
        field("completed_step", FieldUnit::step, "step at which it was completed; NULL if never",
              [step_of](const Row& row) { return step_of(row, row.completion); }),
        field("requested_time_us", FieldUnit::microseconds, "microseconds since 1970 (UTC); NULL if not recorded",
              [&s](const Row& row) { return s.event_time(row.device_index, row.request); }),
        field("completed_time_us", FieldUnit::microseconds,
              "microseconds since 1970 (UTC); NULL if not recorded or never completed",
              [&s](const Row& row) { return s.event_time(row.device_index, row.completion); }),
    };
    return {"pending_frees",
            "Frees that had to wait, because the program freed the memory while another stream could still use it.",
            field.row_count(), columns};
}

Table pools_table(const CatalogSource& s) {
    using Row = DerivedRows::PoolRow;
    const TableFields field([&s] { return s.derived->pools().size(); },
                            [&s](std::size_t row) -> const Row& { return s.derived->pools()[row]; });
    const TableFields hole_field(field.row_count(),
                                 [&s](std::size_t row) -> const Holes& { return s.derived->pools()[row].holes; });
    const std::vector<Column> columns = {
        field("device", FieldUnit::id, "device number as in the file", &Row::device),
        field("pool", s.pools, "as '(1, 2)'; '(0, 0)' is the default pool; NULL if not recorded",
              [](const Row& row) { return pool_code(row.pool); }),
        field("is_private", FieldUnit::flag, "1 for a pool of a CUDA graph or one created by the program, otherwise 0",
              [&s](const Row& row) { return is_private_pool(*s.snapshot, row.pool); }),
        field("segments", FieldUnit::count, "number of segments", &Row::segments),
        field("reserved", FieldUnit::bytes, "bytes in these segments", &Row::reserved_bytes),
        field("allocated", FieldUnit::bytes, "bytes in allocated blocks, rounded", &Row::allocated_bytes),
        field("active", FieldUnit::bytes, "bytes in allocated blocks and in blocks waiting to be freed, rounded",
              &Row::active_bytes),
        hole_field("holes", FieldUnit::count, "number of idle pieces between blocks", &Holes::count),
        hole_field("hole_bytes", FieldUnit::bytes, "bytes in all of these pieces", &Holes::total_bytes),
        hole_field("largest_hole", FieldUnit::bytes,
                   "bytes in the largest of these pieces; a larger request needs new memory", &Holes::largest_bytes),
    };
    return {"pools", "Memory pools by device, as they were when the snapshot was taken.", field.row_count(), columns};
}

Table streams_table(const CatalogSource& s) {
    const TableFields field([&s] { return s.snapshot->streams.size(); }, std::identity());
    const std::vector<Column> columns = {
        field("stream", FieldUnit::id, "raw handle, as in the other tables; 0 is the default stream",
              [&s](std::size_t row) { return s.snapshot->streams[row]; }),
        field("number", FieldUnit::count,
              "number as in memory_viz: in order of first appearance, with 0 for the default stream",
              [&s](std::size_t row) { return stream_number(*s.snapshot, static_cast<std::uint16_t>(row)); }),
    };
    return {"streams", "The streams in the file, always including the default stream.", field.row_count(), columns};
}

}  // namespace

std::vector<Table> derived_tables(const CatalogSource& source) {
    return {markers_table(source), ranges_table(source), pending_table(source), pools_table(source), streams_table(source)};
}

}  // namespace snapviewer::query
