// Tables with the file's own data about the recording: devices, annotations, settings, import_log.
#include "core/query/catalog.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
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
