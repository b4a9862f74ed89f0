#pragma once

#include <memory>
#include <vector>

#include "core/sqlite/sqlite_file.h"
#include "core/trace/profile_data.h"
#include "core/trace/snapshot.h"

/// The readers of databases. is_X() recognises a kind of database by its tables; read_X() fills the snapshot, sets
/// Snapshot::kind and throws Failure.
namespace snapviewer::profilers {

/// The contents of a file. Parts that a kind of file does not have are empty.
struct LoadedFile {
    std::shared_ptr<Snapshot> snapshot;  ///< Never null; uniquely owned. Has no devices if the file has no memory to draw.
    std::vector<IcicleRows> icicles;
    std::shared_ptr<DetailSource> details;
    std::vector<sqlite::SqlView> views;  ///< Ready-made queries for `databases`
    /// The file itself if it is a database, so that queries can use its own tables.
    std::vector<sqlite::AttachedFile> databases;
};

/// The facts that export_database() (core/exports) stores about a file besides its tables, so that a reader draws the same
/// picture. One row per fact; `device` is NULL for facts about the whole file.
namespace export_notes {
inline constexpr const char* k_table = "snapviewer_export";  ///< Table with the columns device, key, value.
inline constexpr const char* k_kind = "kind";  ///< Key for the kind of the exported file; the value is a file_kind_name().
/// The keys from here on store fields of Presentation and DeviceTrace.
inline constexpr const char* k_step_axis = "step_axis";
inline constexpr const char* k_time_axis = "time_axis";
inline constexpr const char* k_no_wall_clock = "no_wall_clock";
inline constexpr const char* k_prefers_time = "prefers_time";
inline constexpr const char* k_start_us = "start_us";
inline constexpr const char* k_end_us = "end_us";
}  // namespace export_notes

/// True for a database written by `snapviewer export X.db`.
bool is_exported_snapshot(const sqlite::SqliteFile& file);

/// Restores the exported file: all events, allocations, stacks, segments, blocks, annotations, settings and the import log.
/// The tables do not contain a profiler's curves and tracks, icicles, and the offsets of SnapViewer's polygons; the latter
/// are computed again. Snapshot::kind is that of the exported file, Snapshot::container is "snapviewer_db". O(rows).
void read_exported_snapshot(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// True for a database that MindStudio Insight creates from a snapshot and stores beside it (*.pkl.db). It has the tables
/// trace_entry_N and block_N for each device N; the first versions have only trace_entry and block.
bool is_insight_snapshot(const sqlite::SqliteFile& file);

/// Restores the snapshot that the database was created from: the events with their stacks; the segments at the end, computed
/// from those at the start and the events; and the blocks live at the end. The file does not contain times, pools, the
/// driver's free memory at oom events, the kinds of segments, or the stacks of blocks allocated before the recording.
/// O(events log segments).
void read_insight_snapshot(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

bool is_memory_report(const sqlite::SqliteFile& file);

/// Reads a memory report of Skyline or DeepView: a picture of one iteration, and an icicle by source whose entries are the
/// allocations of the picture.
void read_memory_report(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

bool is_run_time_report(const sqlite::SqliteFile& file);

/// Reads a run-time report of Skyline or DeepView: icicles in the order of execution (forward pass, then backward pass in
/// reverse) and by source. It contains no memory, so the snapshot has no device.
void read_run_time_report(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// True if enough activations of a memory report are found in a run-time report. Reads the rows of both. Throws Failure.
bool are_of_one_model(sqlite::SqliteFile& memory_report, sqlite::SqliteFile& run_time_report);

/// Draws a memory report over the times of a run-time report of the same model, with the icicles of both. Throws Failure if
/// the reports are not of the same model.
void read_report_pair(sqlite::SqliteFile& memory_report, sqlite::SqliteFile& run_time_report, Snapshot& snapshot,
                      LoadedFile& loaded);

bool is_ascend_profiler(const sqlite::SqliteFile& file);

/// Reads a database of the Ascend PyTorch Profiler: memory, curves and tracks of every device.
void read_ascend_profiler(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// Reads the databases of two ranks of one host, which share a clock: the devices of the first, then those of the second,
/// each with the details of its own file. Throws Failure, also if both files contain the same device.
void read_ascend_ranks(const std::shared_ptr<sqlite::SqliteFile>& first, const std::shared_ptr<sqlite::SqliteFile>& second,
                       Snapshot& snapshot, LoadedFile& loaded);

bool is_msprof(const sqlite::SqliteFile& file);

/// Reads the output of msprof without PyTorch: the blocks of the graph engine, with their addresses.
void read_msprof(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

bool is_msmemscope(const sqlite::SqliteFile& file);

/// Reads a database of Ascend's msMemScope, formerly msLeaks: a picture for each kind of memory of each device, with real
/// addresses and stacks, tracks of activities below it, and details.
void read_msmemscope(const std::shared_ptr<sqlite::SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer::profilers
