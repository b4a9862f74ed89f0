#pragma once

#include <array>
#include <string>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/fleet/fleet_database.h"
#include "core/fleet/series/series.h"

namespace snapviewer {

/// The tables of a series database. series_samples has one row for each device of a file. Unknown values are NULL.
inline constexpr std::array k_series_tables = {
    FleetTable{
        "series_samples",
        "sample INTEGER, rank INTEGER, device INTEGER, host TEXT, pid INTEGER, file TEXT, file_bytes INTEGER, "
        "number INTEGER, time_us INTEGER, time_from TEXT, step INTEGER, segments INTEGER, expandable_segments INTEGER, "
        "blocks INTEGER, reserved_bytes INTEGER, expandable_bytes INTEGER, allocated_bytes INTEGER, "
        "active_bytes INTEGER, requested_bytes INTEGER, device_total_bytes INTEGER, device_used_bytes INTEGER, "
        "other_processes_bytes INTEGER"},
    FleetTable{"series_pools",
               "sample INTEGER, pool TEXT, owner INTEGER, id INTEGER, kind TEXT, segments INTEGER, reserved_bytes INTEGER, "
               "allocated_bytes INTEGER, active_bytes INTEGER, inactive_bytes INTEGER, largest_inactive_bytes INTEGER"},
    FleetTable{"series_sizes", "sample INTEGER, pool TEXT, at_least_bytes INTEGER, blocks INTEGER, bytes INTEGER"},
    FleetTable{"series_growth",
               "rank INTEGER, device INTEGER, kind TEXT, pool TEXT, at_least_bytes INTEGER, bytes_per_hour REAL, "
               "bytes_per_step REAL, bytes_per_sample REAL, from_bytes INTEGER, to_bytes INTEGER, full_time_us INTEGER"},
    FleetTable{"series_gaps", "rank INTEGER, from_us INTEGER, to_us INTEGER, interval_us INTEGER"},
    FleetTable{
        "series_dumps",
        "rank INTEGER, device INTEGER, host TEXT, why TEXT, time_us INTEGER, time_from TEXT, step INTEGER, file TEXT, "
        "file_bytes INTEGER, allocated_bytes INTEGER, reserved_bytes INTEGER"},
    FleetTable{"series_failed", "file TEXT, error TEXT"}};

/// Writes a series into a new SQLite database. The file appears at `path` only once it is complete.
Status write_series_database(const std::string& path, const SampleSeries& series, const SeriesFindings& findings,
                             Progress& progress);

}  // namespace snapviewer
