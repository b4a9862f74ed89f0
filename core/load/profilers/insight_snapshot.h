#pragma once

#include <memory>

#include "core/load/profilers/loaded_file.h"

namespace snapviewer {

/// True for a database that MindStudio Insight creates from a snapshot and stores beside it (*.pkl.db). It has the tables
/// trace_entry_N and block_N for each device N; the first versions have only trace_entry and block.
bool is_insight_snapshot(const SqliteFile& file);

/// Restores the snapshot that the database was created from: the events with their stacks; the segments at the end, computed
/// from those at the start and the events; and the blocks live at the end. The file does not contain times, pools, the
/// driver's free memory at oom events, the kinds of segments, or the stacks of blocks allocated before the recording.
/// Snapshot::kind is insight_snapshot. Throws Failure. O(events log segments).
void read_insight_snapshot(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
