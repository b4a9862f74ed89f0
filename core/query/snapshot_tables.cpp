#include <algorithm>
#include <cmath>

#include "core/query/catalog.h"
#include "core/timeline/recording_facts.h"

// Tables of the allocator's memory: segments, blocks, totals, memory_curves.
namespace snapviewer {
namespace {

using Integer = std::optional<std::int64_t>;

Table segments_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto segment = [s](std::size_t row) -> const Segment& { return s->snapshot->segments[row]; };
    return {"segments",
            "Memory the allocator had reserved from the driver when the snapshot was taken.",
            [s] { return s->snapshot->segments.size(); },
            {
                row_number_column("id", "blocks.segment_id refers to it"),
                integer_column("device", "device number as in the file",
                               [segment](std::size_t row) { return std::int64_t{segment(row).device}; }),
                integer_column("address", "address of the first byte, negative from 2^63 on",
                               [segment](std::size_t row) { return to_sql(segment(row).address); }),
                integer_column("size", "reserved bytes",
                               [segment](std::size_t row) { return to_sql(segment(row).total_bytes); }),
                integer_column("allocated", "bytes in allocated blocks, rounded",
                               [segment](std::size_t row) { return to_sql(segment(row).allocated_bytes); }),
                integer_column("active", "bytes in allocated blocks and in blocks waiting to be freed, rounded",
                               [segment](std::size_t row) { return to_sql(segment(row).active_bytes); }),
                integer_column("requested", "bytes the program asked for in active blocks",
                               [segment](std::size_t row) { return to_sql(segment(row).requested_bytes); }),
                integer_column("stream", "raw handle, 0 is the default stream",
                               [s, segment](std::size_t row) { return to_sql(s->snapshot->streams[segment(row).stream]); }),
                text_column("pool", "memory pool as '(1, 2)'; '(0, 0)' is the default pool; NULL if not recorded", s->pools,
                            [segment](std::size_t row) {
                                return segment(row).pool == k_no_pool ? k_null_code : std::uint32_t{segment(row).pool};
                            }),
                text_column("type", "'small' or 'large'", s->strings,
                            [segment](std::size_t row) { return segment(row).type.value; }),
                integer_column("is_expandable", "1 for an expandable segment, otherwise 0",
                               [segment](std::size_t row) { return std::int64_t{segment(row).is_expandable}; }),
                integer_column("holes", "number of idle pieces between its blocks",
                               [s](std::size_t row) { return to_sql(s->derived->segment_holes(row).count); }),
                integer_column("hole_bytes", "bytes in all of these pieces",
                               [s](std::size_t row) { return to_sql(s->derived->segment_holes(row).total_bytes); }),
                integer_column("largest_hole", "bytes in the largest of these pieces",
                               [s](std::size_t row) { return to_sql(s->derived->segment_holes(row).largest_bytes); }),
                integer_column("stack_id", "stacks.id of the call that reserved it; NULL if not recorded",
                               [segment](std::size_t row) { return stack_to_sql(segment(row).stack); }),
            }};
}

Table blocks_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto block = [s](std::size_t row) -> const Block& { return s->snapshot->blocks[row]; };
    const auto states =
        make_list_dictionary({block_state_name(BlockState::inactive), block_state_name(BlockState::active_allocated),
                              block_state_name(BlockState::active_pending_free)});
    return {"blocks",
            "The blocks that the segments were divided into when the snapshot was taken.",
            [s] { return s->snapshot->blocks.size(); },
            {
                row_number_column("id", "counts from 0, segment by segment"),
                integer_column("segment_id", "segments.id",
                               [s](std::size_t row) { return std::int64_t{s->block_segments[row]}; }),
                integer_column(
                    "device", "device number as in the file",
                    [s](std::size_t row) { return std::int64_t{s->snapshot->segments[s->block_segments[row]].device}; }),
                integer_column("address", "address of the first byte, negative from 2^63 on",
                               [block](std::size_t row) { return to_sql(block(row).address); }),
                integer_column("size", "bytes, rounded", [block](std::size_t row) { return to_sql(block(row).size_bytes); }),
                integer_column("requested", "bytes the program asked for; NULL while inactive",
                               [block](std::size_t row) -> Integer {
                                   if (block(row).state == BlockState::inactive) return std::nullopt;
                                   return to_sql(block(row).requested_bytes);
                               }),
                text_column("state", "'inactive', 'active_allocated' or 'active_pending_free'", states,
                            [block](std::size_t row) { return static_cast<std::uint32_t>(block(row).state); }),
                integer_column("stack_id", "stacks.id of the allocation; NULL if not recorded",
                               [block](std::size_t row) { return stack_to_sql(block(row).stack); }),
            }};
}

Table totals_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto tick = [](CatalogSource::Place place) { return static_cast<std::uint32_t>(place.row); };
    return {
        "totals",
        "Memory over time: one row for the left edge, one for each alloc and free, and one for the right edge.",
        [s] { return s->tick_ends.empty() ? 0 : s->tick_ends.back(); },
        {
            integer_column(
                "device", "device number as in the file",
                [s](std::size_t row) {
                    return std::int64_t{s->snapshot->devices[CatalogSource::locate(s->tick_ends, row).device_index].device};
                },
                s->device_order()),
            integer_column("step", "step at which the change begins",
                           [s, tick](std::size_t row) {
                               const auto place = CatalogSource::locate(s->tick_ends, row);
                               return to_sql(s->timelines[place.device_index]->step_of_tick(tick(place)));
                           }),
            integer_column("allocated", "bytes of all live allocations after the change, as requested",
                           [s, tick](std::size_t row) {
                               const auto place = CatalogSource::locate(s->tick_ends, row);
                               return to_sql(s->timelines[place.device_index]->total_after_tick(tick(place)));
                           }),
            integer_column(
                "reserved",
                "bytes reserved from the driver after the change, worked out backwards from the segments at the end and the "
                "recorded segment events; NULL if the file lists no segments or they contradict the events",
                [s, tick](std::size_t row) {
                    const auto place = CatalogSource::locate(s->tick_ends, row);
                    return s->derived->reserved(place.device_index, tick(place));
                }),
        }};
}

/// Maps a row of memory_curves to a recorded curve and a point of it.
struct CurveRows {
    explicit CurveRows(const Snapshot& snapshot) {
        std::size_t rows = 0;
        for (const DeviceTrace& trace : snapshot.devices) {
            for (const Series& curve : trace.memory_series) {
                curves.push_back(&curve);
                devices.push_back(trace.device);
                ends.push_back(rows += curve.values.size());
            }
        }
    }
    std::size_t curve_of(std::size_t row) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(ends, row) - ends.begin());
    }
    std::size_t point_of(std::size_t row) const {
        const std::size_t curve = curve_of(row);
        return row - (curve == 0 ? 0 : ends[curve - 1]);
    }

    std::vector<const Series*> curves;
    std::vector<std::int32_t> devices;  ///< Device number of each curve; parallel to curves
    std::vector<std::size_t> ends;      ///< Element i: number of rows of curves 0 to i
};

Table memory_curves_table(const CatalogSource& source) {
    const auto rows = std::make_shared<const CurveRows>(*source.snapshot);
    std::vector<std::string> names;
    for (const Series* curve : rows->curves) names.push_back(curve->name);
    return {
        "memory_curves",
        "Curves that a profiler recorded, as drawn over the picture; each value holds until the next one of its curve.",
        [rows] { return rows->ends.empty() ? 0 : rows->ends.back(); },
        {
            integer_column(
                "device", "device number as in the file",
                [rows](std::size_t row) { return std::int64_t{rows->devices[rows->curve_of(row)]}; }, source.device_order()),
            text_column("curve", "its name in the legend", make_list_dictionary(std::move(names)),
                        [rows](std::size_t row) { return static_cast<std::uint32_t>(rows->curve_of(row)); }),
            integer_column("time_us", "microseconds since 1970 (UTC), or since the start if the file counts from there",
                           [rows](std::size_t row) {
                               return time_to_sql(rows->curves[rows->curve_of(row)]->time_us[rows->point_of(row)]);
                           }),
            integer_column("bytes", "the value from that time on",
                           [rows](std::size_t row) {
                               return std::llround(rows->curves[rows->curve_of(row)]->values[rows->point_of(row)]);
                           }),
        }};
}

}  // namespace

std::vector<Table> memory_tables(const CatalogSource& source) {
    return {segments_table(source), blocks_table(source), totals_table(source), memory_curves_table(source)};
}

// Tables with the file's own data about the recording: devices, annotations, settings, import_log.

namespace {

std::uint32_t row_code(std::size_t row) { return static_cast<std::uint32_t>(row); }

Table devices_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto timeline = [s](std::size_t row) -> const Timeline& { return *s->timelines[row]; };
    const auto text_of_device = [s](const char* name, const char* doc, std::string DeviceTrace::*field) {
        return text_column(
            name, doc,
            make_function_dictionary([s] { return s->snapshot->devices.size(); },
                                     [s, field](std::uint32_t row) { return s->snapshot->devices[row].*field; }),
            [s, field](std::size_t row) {
                return (s->snapshot->devices[row].*field).empty() ? k_null_code : row_code(row);
            });
    };
    return {
        "devices",
        "The devices for which the file holds a recording.",
        [s] { return s->timelines.size(); },
        {
            integer_column(
                "device", "number as in the file",
                [s](std::size_t row) { return std::int64_t{s->snapshot->devices[row].device}; }, s->device_order()),
            text_of_device("part", "the part of the device's memory; NULL for all of it", &DeviceTrace::part),
            text_of_device("rank", "rank of the process that used the device; NULL if unknown", &DeviceTrace::rank),
            integer_column(
                "capacity",
                "bytes of the device, from what was reserved and free when memory ran out; NULL if it never ran out",
                [s](std::size_t row) { return s->derived->capacity(row); }),
            integer_column("events", "number of recorded events",
                           [s](std::size_t row) { return to_sql(s->snapshot->devices[row].events.size()); }),
            integer_column("allocations", "number of known allocations",
                           [timeline](std::size_t row) { return to_sql(timeline(row).allocation_count()); }),
            integer_column("steps", "length of the picture in steps",
                           [timeline](std::size_t row) { return to_sql(timeline(row).step_count()); }),
            integer_column("peak_bytes",
                           "largest total of live allocations; without allocations, of the curves of allocated memory",
                           [timeline](std::size_t row) { return to_sql(known_peak(timeline(row)).bytes); }),
            integer_column(
                "peak_is_lower_bound",
                "1 if the peak may have been higher, because the file is cut off or has no history of it; otherwise 0",
                [timeline](std::size_t row) { return std::int64_t{known_peak(timeline(row)).is_lower_bound}; }),
            integer_column(
                "peak_step", "step where the peak begins",
                [timeline](std::size_t row) { return to_sql(timeline(row).step_of_tick(timeline(row).peak_tick())); }),
            integer_column("live_bytes_at_end", "total of the allocations that are never freed; the last row of `totals`",
                           [timeline](std::size_t row) { return to_sql(timeline(row).live_bytes_at_end()); }),
            integer_column("path_points", "number of points of all polygons",
                           [timeline](std::size_t row) { return to_sql(timeline(row).path_point_count()); }),
        }};
}

Table annotations_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    const auto annotation = [s](std::size_t row) -> const Annotation& { return s->snapshot->annotations[row]; };
    return {"annotations",
            "Starts and ends of named ranges (torch.profiler.record_function) as recorded; `ranges` has them in pairs.",
            [s] { return s->snapshot->annotations.size(); },
            {
                row_number_column("id", "counts from 0 in recorded order"),
                integer_column("device", "device number as in the file",
                               [annotation](std::size_t row) { return std::int64_t{annotation(row).device}; }),
                text_column("name", "name of the range", s->strings,
                            [annotation](std::size_t row) { return annotation(row).name.value; }),
                text_column("stage", "'START' or 'END'", s->strings,
                            [annotation](std::size_t row) { return annotation(row).stage.value; }),
                integer_column("time_us", "microseconds since 1970 (UTC)",
                               [annotation](std::size_t row) { return time_to_sql(annotation(row).time_us); }),
            }};
}

Table settings_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    std::vector<std::string> keys;
    std::vector<std::string> values;
    for (const auto& [key, value] : s->snapshot->settings) {
        keys.push_back(key);
        values.push_back(value);
    }
    return {"settings",
            "The allocator settings and everything else at the top level of the file.",
            [s] { return s->snapshot->settings.size(); },
            {
                text_column("key", "as in the file", make_list_dictionary(std::move(keys)), row_code),
                text_column("value", "as JSON", make_list_dictionary(std::move(values)), row_code),
            }};
}

Table import_log_table(const CatalogSource& source) {
    const CatalogSource* s = &source;
    std::vector<std::string> severities;
    std::vector<std::string> codes;
    std::vector<std::string> messages;
    for (const ImportEntry& entry : s->snapshot->log.entries()) {
        severities.emplace_back(severity_text(entry.severity));
        codes.push_back(entry.code);
        messages.push_back(entry.message);
    }
    const auto entry = [s](std::size_t row) -> const ImportEntry& { return s->snapshot->log.entries()[row]; };
    return {
        "import_log",
        "File notes: what was odd about the file but did not keep it from opening.",
        [s] { return s->snapshot->log.entries().size(); },
        {
            text_column("severity", "'info', 'notice' or 'data_loss'", make_list_dictionary(std::move(severities)),
                        row_code),
            text_column("code", "short name, the same in every version", make_list_dictionary(std::move(codes)), row_code),
            text_column("message", "the note in words", make_list_dictionary(std::move(messages)), row_code),
            integer_column("count", "how often it happened", [entry](std::size_t row) { return to_sql(entry(row).count); }),
            integer_column("first_offset",
                           "byte of the file (or event, if the message says so) where it first happened; NULL if unknown",
                           [entry](std::size_t row) -> std::optional<std::int64_t> {
                               if (!entry(row).first_offset) return std::nullopt;
                               return to_sql(*entry(row).first_offset);
                           }),
        }};
}

}  // namespace

std::vector<Table> file_tables(const CatalogSource& source) {
    return {devices_table(source), annotations_table(source), settings_table(source), import_log_table(source)};
}

}  // namespace snapviewer
