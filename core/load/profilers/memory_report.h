#pragma once

#include <memory>

#include "core/load/profilers/iteration.h"
#include "core/load/profilers/loaded_file.h"

namespace snapviewer {

bool is_memory_report(const SqliteFile& file);

/// Reads a memory report of Skyline or DeepView: a picture of one iteration, and an icicle by source whose entries are the
/// allocations of the picture. Snapshot::kind is "memory_report".
void read_memory_report(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// Like read_memory_report(), but from rows that were read before. If `times` is set, the picture uses the time axis of a
/// run-time report.
Iteration show_memory_report(const SqliteFile& file, const MemoryReportRows& rows, const IterationTimes* times,
                             Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
