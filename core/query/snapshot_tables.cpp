#include <algorithm>
#include <cmath>

#include "core/query/catalog.h"
#include "core/timeline/recording_facts.h"

// Tables of the allocator's memory: segments, blocks, totals, memory_curves.
namespace snapviewer::query {
namespace {

Table segments_table(const CatalogSource& s) {
    const auto field = fields_of(s.snapshot->segments);
    const TableFields hole_field(field.row_count(),
                                 [&s](std::size_t row) -> const Holes& { return s.derived->segment_holes(row); });
    const std::vector<Column> columns = {
        row_number_column("id", "blocks.segment_id refers to it"),
        field("device", FieldUnit::id, "device number as in the file", &Segment::device),
        field("address", FieldUnit::address, "address of the first byte, negative from 2^63 on", &Segment::address),
        field("size", FieldUnit::bytes, "reserved bytes", &Segment::total_bytes),
        field("allocated", FieldUnit::bytes, "bytes in allocated blocks, rounded", &Segment::allocated_bytes),
        field("active", FieldUnit::bytes, "bytes in allocated blocks and in blocks waiting to be freed, rounded",
              &Segment::active_bytes),
        field("requested", FieldUnit::bytes, "bytes the program asked for in active blocks", &Segment::requested_bytes),
        field("stream", FieldUnit::id, "raw handle, 0 is the default stream",
              [&s](const Segment& segment) { return s.snapshot->streams[segment.stream]; }),
        field("pool", s.pools, "memory pool as '(1, 2)'; '(0, 0)' is the default pool; NULL if not recorded",
              [](const Segment& segment) { return pool_code(segment.pool); }),
        field("type", s.strings, "'small' or 'large'", &Segment::type),
        field("is_expandable", FieldUnit::flag, "1 for an expandable segment, otherwise 0", &Segment::is_expandable),
        hole_field("holes", FieldUnit::count, "number of idle pieces between its blocks", &Holes::count),
        hole_field("hole_bytes", FieldUnit::bytes, "bytes in all of these pieces", &Holes::total_bytes),
        hole_field("largest_hole", FieldUnit::bytes, "bytes in the largest of these pieces", &Holes::largest_bytes),
        field("stack_id", FieldUnit::id, "stacks.id of the call that reserved it; NULL if not recorded", &Segment::stack),
    };
    return {"segments", "Memory the allocator had reserved from the driver when the snapshot was taken.", field.row_count(),
            columns};
}

Table blocks_table(const CatalogSource& s) {
    const auto field = fields_of(s.snapshot->blocks);
    const auto segment_field = fields_of(s.block_segments);
    const auto states =
        make_list_dictionary({block_state_name(BlockState::inactive), block_state_name(BlockState::active_allocated),
                              block_state_name(BlockState::active_pending_free)});
    const std::vector<Column> columns = {
        row_number_column("id", "counts from 0, segment by segment"),
        segment_field("segment_id", FieldUnit::id, "segments.id", std::identity()),
        segment_field("device", FieldUnit::id, "device number as in the file",
                      [&s](std::uint32_t segment) { return s.snapshot->segments[segment].device; }),
        field("address", FieldUnit::address, "address of the first byte, negative from 2^63 on", &Block::address),
        field("size", FieldUnit::bytes, "bytes, rounded", &Block::size_bytes),
        field("requested", FieldUnit::bytes, "bytes the program asked for; NULL while inactive",
              [](const Block& block) {
                  return block.state == BlockState::inactive ? std::nullopt : std::optional(block.requested_bytes);
              }),
        field("state", states, "'inactive', 'active_allocated' or 'active_pending_free'", &Block::state),
        field("stack_id", FieldUnit::id, "stacks.id of the allocation; NULL if not recorded", &Block::stack),
    };
    return {"blocks", "The blocks that the segments were divided into when the snapshot was taken.", field.row_count(),
            columns};
}

/// A row of `totals`: a tick of a device.
struct TickRow {
    std::size_t device_index;
    std::uint32_t tick;
    const Timeline& timeline;
};

Table totals_table(const CatalogSource& s) {
    const TableFields field([&s] { return s.tick_ends.empty() ? 0 : s.tick_ends.back(); },
                            [&s](std::size_t row) -> TickRow {
                                const auto [device_index, tick] = CatalogSource::locate(s.tick_ends, row);
                                return {device_index, static_cast<std::uint32_t>(tick), *s.timelines[device_index]};
                            });
    const std::vector<Column> columns = {
        field(
            "device", FieldUnit::id, "device number as in the file",
            [](const TickRow& row) { return row.timeline.trace().device; }, s.device_order()),
        field("step", FieldUnit::step, "step at which the change begins",
              [](const TickRow& row) { return row.timeline.step_of_tick(row.tick); }),
        field("allocated", FieldUnit::bytes, "bytes of all live allocations after the change, as requested",
              [](const TickRow& row) { return row.timeline.total_after_tick(row.tick); }),
        field("reserved", FieldUnit::bytes,
              "bytes reserved from the driver after the change, worked out backwards from the segments at the end and "
              "the recorded segment events; NULL if the file lists no segments or they contradict the events",
              [&s](const TickRow& row) { return s.derived->reserved(row.device_index, row.tick); }),
    };
    return {"totals",
            "Memory over time: one row for the left edge, one for each alloc and free, and one for the right edge.",
            field.row_count(), columns};
}

/// A row of `memory_curves`: a point of a curve.
struct CurvePoint {
    std::size_t curve;
    std::size_t point;
};

/// The recorded curves of all devices, one after another.
struct Curves {
    explicit Curves(const Snapshot& snapshot) {
        std::size_t rows = 0;
        for (const DeviceTrace& trace : snapshot.devices) {
            for (const Series& curve : trace.memory_series) {
                curves.push_back(&curve);
                names.push_back(curve.name);
                devices.push_back(trace.device);
                ends.push_back(rows += curve.values.size());
            }
        }
    }
    CurvePoint at(std::size_t row) const {
        const auto curve = static_cast<std::size_t>(std::ranges::upper_bound(ends, row) - ends.begin());
        return {curve, row - CatalogSource::first_row(ends, curve)};
    }

    std::vector<const Series*> curves;
    std::vector<std::string> names;     ///< Parallel to `curves`, like `devices` and `ends`
    std::vector<std::int32_t> devices;  ///< Device number of each curve
    std::vector<std::size_t> ends;      ///< Element i: number of rows of curves 0 to i
};

Table memory_curves_table(const CatalogSource& s) {
    const auto all = std::make_shared<const Curves>(*s.snapshot);
    const TableFields field([all] { return all->ends.empty() ? 0 : all->ends.back(); },
                            [all](std::size_t row) { return all->at(row); });
    const std::vector<Column> columns = {
        field(
            "device", FieldUnit::id, "device number as in the file",
            [all](CurvePoint row) { return all->devices[row.curve]; }, s.device_order()),
        field("curve", make_list_dictionary(all->names), "its name in the legend", &CurvePoint::curve),
        field("time_us", FieldUnit::microseconds,
              "microseconds since 1970 (UTC), or since the start if the file counts from there",
              [all](CurvePoint row) { return known_time(all->curves[row.curve]->time_us[row.point]); }),
        field("bytes", FieldUnit::bytes, "the value from that time on",
              [all](CurvePoint row) { return std::llround(all->curves[row.curve]->values[row.point]); }),
    };
    return {"memory_curves",
            "Curves that a profiler recorded, as drawn over the picture; each value holds until the next one of its curve.",
            field.row_count(), columns};
}

}  // namespace

std::vector<Table> memory_tables(const CatalogSource& source) {
    return {segments_table(source), blocks_table(source), totals_table(source), memory_curves_table(source)};
}

// Tables with the file's own data about the recording: devices, annotations, settings, import_log.

namespace {

Table devices_table(const CatalogSource& s) {
    const TableFields field([&s] { return s.timelines.size(); },
                            [&s](std::size_t row) -> const Timeline& { return *s.timelines[row]; });
    const TableFields number_field(field.row_count(), std::identity());
    const std::vector<Column> columns = {
        field(
            "device", FieldUnit::id, "number as in the file",
            [](const Timeline& timeline) { return timeline.trace().device; }, s.device_order()),
        field("part", FieldUnit::text, "the part of the device's memory; NULL for all of it",
              [](const Timeline& timeline) { return null_if_empty(timeline.trace().part); }),
        field("rank", FieldUnit::text, "rank of the process that used the device; NULL if unknown",
              [](const Timeline& timeline) { return null_if_empty(timeline.trace().rank); }),
        number_field("capacity", FieldUnit::bytes,
                     "bytes of the device, from what was reserved and free when memory ran out; NULL if it never ran out",
                     [&s](std::size_t row) { return s.derived->capacity(row); }),
        field("events", FieldUnit::count, "number of recorded events",
              [](const Timeline& timeline) { return timeline.trace().events.size(); }),
        field("allocations", FieldUnit::count, "number of known allocations", &Timeline::allocation_count),
        field("steps", FieldUnit::step, "length of the picture in steps", &Timeline::step_count),
        field("peak_bytes", FieldUnit::bytes,
              "largest total of live allocations; without allocations, of the curves of allocated memory",
              [](const Timeline& timeline) { return known_peak(timeline).bytes; }),
        field("peak_is_lower_bound", FieldUnit::flag,
              "1 if the peak may have been higher, because the file is cut off or has no history of it; otherwise 0",
              [](const Timeline& timeline) { return known_peak(timeline).is_lower_bound; }),
        field("peak_step", FieldUnit::step, "step where the peak begins",
              [](const Timeline& timeline) { return timeline.step_of_tick(timeline.peak_tick()); }),
        field("live_bytes_at_end", FieldUnit::bytes,
              "total of the allocations that are never freed; the last row of `totals`", &Timeline::live_bytes_at_end),
        field("path_points", FieldUnit::count, "number of points of all polygons", &Timeline::path_point_count),
    };
    return {"devices", "The devices for which the file holds a recording.", field.row_count(), columns};
}

Table annotations_table(const CatalogSource& s) {
    const auto field = fields_of(s.snapshot->annotations);
    const std::vector<Column> columns = {
        row_number_column("id", "counts from 0 in recorded order"),
        field("device", FieldUnit::id, "device number as in the file", &Annotation::device),
        field("name", s.strings, "name of the range", &Annotation::name),
        field("stage", s.strings, "'START' or 'END'", &Annotation::stage),
        field("time_us", FieldUnit::microseconds, "microseconds since 1970 (UTC)",
              [](const Annotation& annotation) { return known_time(annotation.time_us); }),
    };
    return {"annotations",
            "Starts and ends of named ranges (torch.profiler.record_function) as recorded; `ranges` has them in pairs.",
            field.row_count(), columns};
}

Table settings_table(const CatalogSource& s) {
    using Setting = std::pair<std::string, std::string>;
    const auto field = fields_of(s.snapshot->settings);
    const std::vector<Column> columns = {
        field("key", FieldUnit::text, "as in the file", &Setting::first),
        field("value", FieldUnit::text, "as JSON", &Setting::second),
    };
    return {"settings", "The allocator settings and everything else at the top level of the file.", field.row_count(),
            columns};
}

Table import_log_table(const CatalogSource& s) {
    const auto field = fields_of(s.snapshot->log.entries());
    const std::vector<Column> columns = {
        field("severity", FieldUnit::text, "'info', 'notice' or 'data_loss'",
              [](const ImportEntry& entry) { return severity_text(entry.severity); }),
        field("code", FieldUnit::text, "short name, the same in every version", &ImportEntry::code),
        field("message", FieldUnit::text, "the note in words", &ImportEntry::message),
        field("count", FieldUnit::count, "how often it happened", &ImportEntry::count),
        field("first_offset", FieldUnit::count,
              "byte of the file (or event, if the message says so) where it first happened; NULL if unknown",
              &ImportEntry::first_offset),
    };
    return {"import_log", "File notes: what was odd about the file but did not keep it from opening.", field.row_count(),
            columns};
}

}  // namespace

std::vector<Table> file_tables(const CatalogSource& source) {
    return {devices_table(source), annotations_table(source), settings_table(source), import_log_table(source)};
}

}  // namespace snapviewer::query
