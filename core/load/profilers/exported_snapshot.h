#pragma once

#include <memory>

#include "core/load/load.h"

namespace snapviewer {

/// What export_database() (core/export) says of a file besides its tables, so that a reader makes the same picture of them:
/// a row a fact, `device` NULL where it is about the whole file.
namespace export_notes {
inline constexpr const char* k_table = "snapviewer_export";  ///< columns device, key, value
inline constexpr const char* k_kind = "kind";                ///< file_kind_name() of what was exported
inline constexpr const char* k_step_axis = "step_axis";      ///< those of Presentation and DeviceTrace
inline constexpr const char* k_time_axis = "time_axis";
inline constexpr const char* k_no_wall_clock = "no_wall_clock";
inline constexpr const char* k_prefers_time = "prefers_time";
inline constexpr const char* k_start_us = "start_us";
inline constexpr const char* k_end_us = "end_us";
}  // namespace export_notes

/// Whether a database was written by `snapviewer export X.db`.
bool is_exported_snapshot(const SqliteFile& file);

/// Reads it as the file that it was exported from: all events, allocations, stacks, segments, blocks, annotations, settings
/// and the import log. What its tables do not have is lost: the curves and tracks of a profiler, icicles, and the offsets of
/// SnapViewer's polygons, which are worked out anew. Snapshot::kind is that of the exported file, Snapshot::container
/// "snapviewer_db". Throws Failure. O(rows).
void read_exported_snapshot(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
