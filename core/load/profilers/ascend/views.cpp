#include "core/load/profilers/ascend/views.h"

#include <fmt/format.h>

#include <array>

#include "core/load/profilers/probe.h"

namespace snapviewer::ascend {
namespace {

enum class Scale : std::uint8_t { name, kilobytes, moment_ms, duration_ms, megabytes, plain };

struct ViewColumn {
    const char* name;
    const char* doc;
    Scale scale;
    const char* column;
    const char* old_column;  ///< column name in versions of 2024
};

constexpr std::array k_view_columns = {
    ViewColumn{"name", "the operation; NULL where it is unknown", Scale::name, "name", "name"},
    ViewColumn{"size_kb", "KiB", Scale::kilobytes, "size", "size"},
    ViewColumn{"allocation_time_ms", "since the first allocation or total", Scale::moment_ms, "allocationTime",
               "allocation_time"},
    ViewColumn{"release_time_ms", "when the tensor was freed; NULL if never", Scale::moment_ms, "releaseTime",
               "release_time"},
    ViewColumn{"active_release_time_ms", "when the block was returned to the pool", Scale::moment_ms, "activeReleaseTime",
               "active_release_time"},
    ViewColumn{"duration_ms", "from the allocation until the release", Scale::duration_ms, "duration", "duration"},
    ViewColumn{"active_duration_ms", "from the allocation until the return to the pool", Scale::duration_ms,
               "activeDuration", "active_duration"},
    ViewColumn{"allocation_total_allocated_mb", "MiB in use after the allocation", Scale::megabytes,
               "allocationTotalAllocated", "allocation_total_allocated"},
    ViewColumn{"allocation_total_reserved_mb", "MiB in the pool after the allocation", Scale::megabytes,
               "allocationTotalReserved", "allocation_total_reserved"},
    ViewColumn{"allocation_total_active_mb", "MiB in use or waiting for a stream after the allocation", Scale::megabytes,
               "allocationTotalActive", "allocation_total_active"},
    ViewColumn{"release_total_allocated_mb", "MiB in use after the release (for GE: before it)", Scale::megabytes,
               "releaseTotalAllocated", "release_total_allocated"},
    ViewColumn{"release_total_reserved_mb", "MiB in the pool after the release", Scale::megabytes, "releaseTotalReserved",
               "release_total_reserved"},
    ViewColumn{"release_total_active_mb", "MiB in use or waiting for a stream after the release", Scale::megabytes,
               "releaseTotalActive", "release_total_active"},
    ViewColumn{"stream", "stream id or address", Scale::plain, "streamPtr", "stream_ptr"},
    ViewColumn{"device", "device number", Scale::plain, "deviceId", "device_id"},
};

std::string expression(const ViewColumn& column, const std::string& source, std::int64_t first_ns) {
    switch (column.scale) {
        case Scale::name: return "s.value";
        case Scale::kilobytes: return source + " / 1024.0";
        case Scale::moment_ms: return fmt::format("({} - {}) / 1000000.0", source, first_ns);
        case Scale::duration_ms: return source + " / 1000000.0";
        case Scale::megabytes: return source + " / 1048576.0";
        case Scale::plain: return source;
    }
    return source;
}

/// The table of names for a JOIN. If its id is not a key, an id may have several names; selects the first one.
std::string names_source(SqliteFile& file) {
    if (file.columns("STRING_IDS").size() < 2) return "(SELECT NULL AS id, NULL AS value)";
    TableRows key(file, "STRING_IDS", "SELECT 1 FROM pragma_table_info('STRING_IDS') WHERE name = 'id' AND pk = 1");
    if (key.next()) return "file.STRING_IDS";
    return "(SELECT id, value, min(rowid) FROM file.STRING_IDS GROUP BY id)";
}

}  // namespace

std::vector<SqlView> memory_views(SqliteFile& file, std::int64_t first_ns) {
    if (!file.find_table("OP_MEMORY")) return {};
    SqlView view;
    view.doc = {"memory_details",
                "OP_MEMORY with names and in readable units, as MindStudio Insight lists it: one row for each block "
                "allocated during the profile.",
                {},
                true};
    std::string columns;
    for (const ViewColumn& column : k_view_columns) {
        const auto source = file.find_column("OP_MEMORY", {column.column, column.old_column});
        const std::string from = source ? expression(column, "o." + sql_name(*source), first_ns) : "NULL";
        columns += fmt::format("{}{} AS {}", columns.empty() ? "" : ", ", from, column.name);
        const bool is_text = column.scale == Scale::name;
        view.doc.columns.push_back({column.name,
                                    is_text                        ? "TEXT"
                                    : column.scale == Scale::plain ? "INTEGER"
                                                                   : "REAL",
                                    column.doc});
    }
    const auto name = file.find_column("OP_MEMORY", {"name"});
    view.select = fmt::format("SELECT {} FROM file.OP_MEMORY o LEFT JOIN {} s ON s.id = {}", columns, names_source(file),
                              name ? "o." + sql_name(*name) : "NULL");
    return {std::move(view)};
}

}  // namespace snapviewer::ascend
