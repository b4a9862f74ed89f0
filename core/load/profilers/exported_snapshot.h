#pragma once

#include <memory>

#include "core/load/profilers/loaded_file.h"

namespace snapviewer {

/// The facts that export_database() (core/export) stores about a file besides its tables, so that a reader draws the same
/// picture. One row per fact; `device` is NULL for facts about the whole file.
namespace export_notes {
inline constexpr const char* k_table = "snapviewer_export";  ///< Table with the columns device, key, value.
inline constexpr const char* k_kind = "kind";  ///< Key for the kind of the exported file; the value is a file_kind_name().
/// This key and the next ones store fields of Presentation and DeviceTrace.
inline constexpr const char* k_step_axis = "step_axis";
inline constexpr const char* k_time_axis = "time_axis";
inline constexpr const char* k_no_wall_clock = "no_wall_clock";
inline constexpr const char* k_prefers_time = "prefers_time";
inline constexpr const char* k_start_us = "start_us";
inline constexpr const char* k_end_us = "end_us";
}  // namespace export_notes

/// True for a database written by `snapviewer export X.db`.
bool is_exported_snapshot(const SqliteFile& file);

/// Restores the exported file: all events, allocations, stacks, segments, blocks, annotations, settings and the import log.
/// The tables do not contain a profiler's curves and tracks, icicles, and the offsets of SnapViewer's polygons; the latter
/// are computed again. Snapshot::kind is that of the exported file, Snapshot::container is "snapviewer_db". Throws Failure.
/// O(rows).
void read_exported_snapshot(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
