#include "core/fleet/series/series.h"

#include <nlohmann/json.hpp>

#include "core/base/output_file.h"
#include "core/base/text.h"
#include "core/exports/database_file.h"

namespace snapviewer::series {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::optional<std::int64_t> known_time(std::int64_t time_us) {
    return time_us == k_no_time ? std::nullopt : std::optional(time_us);
}

struct SampleRow {
    std::int64_t number;  ///< Number of the sample
    const SeriesLine* line;
    const SeriesSample* sample;

    const SeriesSample& operator*() const { return *sample; }
};

const Fields<SampleRow> k_sample_fields = {
    {"sample", FieldUnit::id, "number of the row, counted from 1", &SampleRow::number},
    {"rank", FieldUnit::id, "number of the rank", [](const SampleRow& row) { return row.line->rank; }},
    {"device", FieldUnit::id, "device number as in the file", [](const SampleRow& row) { return row.line->device; }},
    {"host", FieldUnit::text, "host of the newest sample",
     [](const SampleRow& row) { return null_if_empty(row.line->host); }},
    {"pid", FieldUnit::id, "process id", &SeriesSample::pid},
    {"file", FieldUnit::text, "path of the snapshot", &SeriesSample::file},
    {"file_bytes", FieldUnit::bytes, "size of the file", &SeriesSample::file_bytes},
    {"number", FieldUnit::id, "number in the name of the file", &SeriesSample::number},
    {"time_us", FieldUnit::microseconds, "time since 1970 (UTC)",
     [](const SeriesSample& sample) { return known_time(sample.time_us); }},
    {"time_from", FieldUnit::text, "source of time_us: 'recorder', or 'file' for its modification time",
     [](const SeriesSample& sample) { return sample_time_name(sample.time_from); }},
    {"step", FieldUnit::id, "training step that the recorder states", &SeriesSample::step},
    {"segments", FieldUnit::count, "number of segments", &SeriesSample::segments},
    {"expandable_segments", FieldUnit::count, "number of expandable segments", &SeriesSample::expandable_segments},
    {"blocks", FieldUnit::count, "number of blocks", &SeriesSample::blocks},
    {"reserved_bytes", FieldUnit::bytes, "bytes reserved from the driver", &SeriesSample::reserved_bytes},
    {"expandable_bytes", FieldUnit::bytes, "part of reserved_bytes in expandable segments", &SeriesSample::expandable_bytes},
    {"allocated_bytes", FieldUnit::bytes, "bytes of the allocated blocks", &SeriesSample::allocated_bytes},
    {"active_bytes", FieldUnit::bytes, "allocated_bytes plus freed blocks that another stream may still use",
     &SeriesSample::active_bytes},
    {"requested_bytes", FieldUnit::bytes, "bytes that the program requested for the active blocks",
     &SeriesSample::requested_bytes},
    {"device_total_bytes", FieldUnit::bytes, "memory of the device, as the driver reports it",
     &SeriesSample::device_total_bytes},
    {"device_used_bytes", FieldUnit::bytes, "used memory of the device, as the driver reports it",
     &SeriesSample::device_used_bytes},
    {"other_processes_bytes", FieldUnit::bytes, "memory that other processes use on the device",
     &SeriesSample::other_processes_bytes}};

struct SamplePoolRow {
    std::int64_t sample;  ///< Number of the sample
    const SamplePool* use;

    const SamplePool& operator*() const { return *use; }
};

/// Returns a fact about a single pool, or nullopt for the sum of several pools.
template <typename T>
std::optional<T> if_single(const SamplePool& use, T value) {
    return use.pool == k_other_pools ? std::nullopt : std::optional(value);
}

const Fields<SamplePoolRow> k_sample_pool_fields = {
    {"sample", FieldUnit::id, "as in `series_samples`", &SamplePoolRow::sample},
    {"pool", FieldUnit::text, "name of the pool", [](const SamplePool& use) { return pool_name(use.pool); }},
    {"owner", FieldUnit::id, "first number of the pool's id; 0 for the default pool",
     [](const SamplePool& use) { return if_single(use, use.pool.owner); }},
    {"id", FieldUnit::id, "second number of the pool's id; 0 for the default pool",
     [](const SamplePool& use) { return if_single(use, use.pool.id); }},
    {"kind", FieldUnit::text, "'small' or 'large'",
     [](const SamplePool& use) { return if_single(use, use.pool.is_small ? "small" : "large"); }},
    {"segments", FieldUnit::count, "number of segments", &SamplePool::segments},
    {"reserved_bytes", FieldUnit::bytes, "bytes of the segments", &SamplePool::reserved_bytes},
    {"allocated_bytes", FieldUnit::bytes, "bytes of the allocated blocks", &SamplePool::allocated_bytes},
    {"active_bytes", FieldUnit::bytes, "allocated_bytes plus freed blocks that another stream may still use",
     &SamplePool::active_bytes},
    {"inactive_bytes", FieldUnit::bytes, "bytes of the segments that are in no active block",
     [](const SamplePool& use) { return use.reserved_bytes - std::min(use.active_bytes, use.reserved_bytes); }},
    {"largest_inactive_bytes", FieldUnit::bytes, "size of the largest free block", &SamplePool::largest_inactive_bytes}};

struct SizeRow {
    std::int64_t number;  ///< Number of the sample
    const SeriesSample* sample;
    const SizeUse* size;

    const SizeUse& operator*() const { return *size; }
};

const Fields<SizeRow> k_size_fields = {
    {"sample", FieldUnit::id, "as in `series_samples`", &SizeRow::number},
    {"pool", FieldUnit::text, "name of the pool",
     [](const SizeRow& row) { return pool_name(row.sample->pools[row.size->pool].pool); }},
    {"at_least_bytes", FieldUnit::bytes, "minimum size in the class; the maximum is less than twice this",
     [](const SizeUse& size) { return std::uint64_t{1} << size.exponent; }},
    {"blocks", FieldUnit::count, "number of allocated blocks", &SizeUse::blocks},
    {"bytes", FieldUnit::bytes, "bytes of these blocks", &SizeUse::bytes}};

const Fields<SeriesGrowth> k_growth_fields = {
    {"rank", FieldUnit::id, "number of the rank", &SeriesGrowth::rank},
    {"device", FieldUnit::id, "device number as in the file", &SeriesGrowth::device},
    {"kind", FieldUnit::text, "'allocated', 'pool', 'size_class' or 'idle'",
     [](const SeriesGrowth& growth) { return growing_kind_name(growth.part.kind); }},
    {"pool", FieldUnit::text, "name of the pool; NULL if `kind` is allocated or idle",
     [](const SeriesGrowth& growth) {
         const bool has_pool = growth.part.kind == GrowingKind::pool || growth.part.kind == GrowingKind::size_class;
         return has_pool ? std::optional(pool_name(growth.part.pool)) : std::nullopt;
     }},
    {"at_least_bytes", FieldUnit::bytes, "as in `series_sizes`; NULL unless `kind` is size_class",
     [](const SeriesGrowth& growth) {
         const bool has_size = growth.part.kind == GrowingKind::size_class;
         return has_size ? std::optional(std::uint64_t{1} << growth.part.exponent) : std::nullopt;
     }},
    {"bytes_per_hour", FieldUnit::number, "growth per hour; NULL if the times are unknown", &SeriesGrowth::bytes_per_hour},
    {"bytes_per_step", FieldUnit::number, "growth per training step; NULL if the steps are unknown",
     &SeriesGrowth::bytes_per_step},
    {"bytes_per_sample", FieldUnit::number, "growth per sample", &SeriesGrowth::bytes_per_sample},
    {"from_bytes", FieldUnit::bytes, "minimum in the first eighth of the samples", &SeriesGrowth::from_bytes},
    {"to_bytes", FieldUnit::bytes, "minimum in the last eighth of the samples", &SeriesGrowth::to_bytes},
    {"full_time_us", FieldUnit::microseconds, "time at which the device is full at this rate; only for allocated",
     &SeriesGrowth::full_time_us}};

const Fields<SeriesGap> k_gap_fields = {
    {"rank", FieldUnit::id, "number of the rank", &SeriesGap::rank},
    {"from_us", FieldUnit::microseconds, "time of the last sample before the gap", &SeriesGap::from_us},
    {"to_us", FieldUnit::microseconds, "time of the first sample after the gap", &SeriesGap::to_us},
    {"interval_us", FieldUnit::microseconds, "median interval between two samples of the rank", &SeriesGap::usual_us}};

const Fields<SeriesDump> k_dump_fields = {
    {"rank", FieldUnit::id, "number of the rank", &SeriesDump::rank},
    {"device", FieldUnit::id, "device number as in the file", &SeriesDump::device},
    {"host", FieldUnit::text, "host of the process", [](const SeriesDump& dump) { return null_if_empty(dump.host); }},
    {"why", FieldUnit::text, "reason: 'oom', 'signal', 'time' or 'end'; 'events' for any other file with events",
     &SeriesDump::why},
    {"time_us", FieldUnit::microseconds, "time since 1970 (UTC)",
     [](const SeriesDump& dump) { return known_time(dump.time_us); }},
    {"time_from", FieldUnit::text, "source of time_us: 'recorder', or 'file' for its modification time",
     [](const SeriesDump& dump) { return sample_time_name(dump.time_from); }},
    {"step", FieldUnit::id, "training step that the recorder states", &SeriesDump::step},
    {"file", FieldUnit::text, "path of the snapshot", &SeriesDump::file},
    {"file_bytes", FieldUnit::bytes, "size of the file", &SeriesDump::file_bytes},
    {"allocated_bytes", FieldUnit::bytes, "bytes of the allocated blocks", &SeriesDump::allocated_bytes},
    {"reserved_bytes", FieldUnit::bytes, "bytes reserved from the driver", &SeriesDump::reserved_bytes}};

const Fields<SeriesFailure> k_failure_fields = {
    {"file", FieldUnit::text, "path of the file", &SeriesFailure::file},
    {"error", FieldUnit::text, "why it could not be read, or not completely", &SeriesFailure::error}};

OrderedJson line_json(const SampleSeries& series, const SeriesLine& line) {
    const SeriesSample &first = line.samples.front(), &last = line.samples.back();
    const auto max_of = [&](std::uint64_t SeriesSample::*bytes) {
        return (*std::ranges::max_element(line.samples, {}, bytes)).*bytes;
    };
    const bool has_recorded_time = std::ranges::any_of(
        line.samples, [](const SeriesSample& sample) { return sample.time_from == SampleTime::recorder; });
    return {{"rank", line.rank},
            {"device", line.device},
            {"host", value_or_null(null_if_empty(line.host))},
            {"samples", line.samples.size()},
            {"order", line.order == SampleOrder::time ? "time" : "number"},
            {"time_from", sample_time_name(has_recorded_time ? SampleTime::recorder : SampleTime::file)},
            {"first_time_us", line.has_times ? value_or_null(known_time(first.time_us)) : OrderedJson()},
            {"last_time_us", line.has_times ? value_or_null(known_time(last.time_us)) : OrderedJson()},
            {"first_step", value_or_null(first.step)},
            {"last_step", value_or_null(last.step)},
            {"interval_us", line.has_times ? value_or_null(usual_interval_us(line)) : OrderedJson()},
            {"device_total_bytes", value_or_null(series.device_total_bytes(line))},
            {"first_allocated_bytes", first.allocated_bytes},
            {"last_allocated_bytes", last.allocated_bytes},
            {"most_allocated_bytes", max_of(&SeriesSample::allocated_bytes)},
            {"first_reserved_bytes", first.reserved_bytes},
            {"last_reserved_bytes", last.reserved_bytes},
            {"most_reserved_bytes", max_of(&SeriesSample::reserved_bytes)}};
}

}  // namespace

OrderedJson series_json(const SampleSeries& series, const SeriesFindings& findings) {
    OrderedJson json;
    for (const char* part : {"ranks", "growing", "outside", "gaps", "ended", "restarts", "dumps", "failed"})
        json[part] = OrderedJson::array();
    for (const SeriesLine& line : series.lines) json["ranks"].push_back(line_json(series, line));
    for (const SeriesGrowth& growth : findings.growing) json["growing"].push_back(k_growth_fields.json(growth));
    for (const OutsideGrowth& each : findings.outside)
        json["outside"].push_back({{"rank", each.rank},
                                   {"device", each.device},
                                   {"of", each.is_of_other_processes ? "other_processes" : "outside"},
                                   {"from_bytes", each.from_bytes},
                                   {"to_bytes", each.to_bytes},
                                   {"since_us", value_or_null(each.since_us)}});
    for (const SeriesGap& gap : findings.gaps) json["gaps"].push_back(k_gap_fields.json(gap));
    for (const EarlyEnd& end : findings.ended)
        json["ended"].push_back({{"rank", end.rank},
                                 {"host", value_or_null(null_if_empty(end.host))},
                                 {"last_us", end.last_us},
                                 {"before_us", end.before_us}});
    for (const SeriesRestart& restart : findings.restarts)
        json["restarts"].push_back({{"rank", restart.rank}, {"time_us", restart.time_us}});
    for (const SeriesDump& dump : series.dumps) json["dumps"].push_back(k_dump_fields.json(dump));
    for (const SeriesFailure& failure : series.failed) json["failed"].push_back(k_failure_fields.json(failure));
    return json;
}

std::span<const sqlite::TableDoc> series_tables() {
    static const std::vector<sqlite::TableDoc> tables = {
        {"series_samples", "Devices in a sample", k_sample_fields.columns()},
        {"series_pools", "Pools in a sample", k_sample_pool_fields.columns()},
        {"series_sizes", "Size classes of the allocated blocks in a pool", k_size_fields.columns()},
        {"series_growth", "Growth that lasts over the whole series, as `growing` in the JSON", k_growth_fields.columns()},
        {"series_gaps", "Periods without samples, as `gaps` in the JSON", k_gap_fields.columns()},
        {"series_dumps", "Full snapshots, as `dumps` in the JSON", k_dump_fields.columns()},
        {"series_failed", "Files that could not be read, or not completely, as `failed` in the JSON",
         k_failure_fields.columns()}};
    return tables;
}

Status write_series_database(const std::string& path, const SampleSeries& series, const SeriesFindings& findings,
                             Progress& progress) {
    // The tables in the order of series_tables().
    enum Table : std::size_t { samples, pools, sizes, growth, gaps, dumps, failed };
    return caught(&progress, [&] {
        OutputFile output = value_or_throw(OutputFile::create(path));
        exports::DatabaseFile file;
        file.begin(output.temporary_path());
        std::vector<exports::TableFiller> tables;
        for (const sqlite::TableDoc& table : series_tables()) tables.push_back(exports::create_table(file, table));
        std::int64_t number = 0;
        for (const SeriesLine& line : series.lines) {
            for (const SeriesSample& sample : line.samples) {
                ++number;
                tables[samples].row(k_sample_fields.cells({number, &line, &sample}));
                for (const SamplePool& use : sample.pools) tables[pools].row(k_sample_pool_fields.cells({number, &use}));
                for (const SizeUse& size : sample.sizes) tables[sizes].row(k_size_fields.cells({number, &sample, &size}));
            }
        }
        for (const SeriesGrowth& each : findings.growing) tables[growth].row(k_growth_fields.cells(each));
        for (const SeriesGap& gap : findings.gaps) tables[gaps].row(k_gap_fields.cells(gap));
        for (const SeriesDump& dump : series.dumps) tables[dumps].row(k_dump_fields.cells(dump));
        for (const SeriesFailure& failure : series.failed) tables[failed].row(k_failure_fields.cells(failure));
        tables.clear();
        check_stop();
        file.commit();
        file.close();
        throw_if_error(output.commit());
    });
}

}  // namespace snapviewer::series
