#pragma once

#include <memory>

#include "core/load/load.h"

namespace snapviewer {

/// Whether a database is one that MindStudio Insight makes of a snapshot and puts beside it (*.pkl.db): the table
/// trace_entry_N, and block_N, for each device N; trace_entry and block alone in its first versions.
bool is_insight_snapshot(const SqliteFile& file);

/// Reads it as the snapshot that it was made of: the events as they were, with their stacks; the segments at the end from
/// those at the start and the events; what was live at the end from the blocks. Not in such a file: times, pools, what the
/// driver had free when memory ran out, the kind of a segment, the stacks of what was allocated before the recording.
/// Snapshot::kind is insight_snapshot. Throws Failure. O(events log segments).
void read_insight_snapshot(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
