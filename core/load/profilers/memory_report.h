#pragma once

#include <memory>

#include "core/load/load.h"
#include "core/load/profilers/iteration.h"

namespace snapviewer {

bool is_memory_report(const SqliteFile& file);

/// A memory report of Skyline or DeepView: one iteration as a picture, and where its bytes come from as an icicle whose
/// entries are the allocations of that picture. Snapshot::kind is "memory_report".
void read_memory_report(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// The same from rows that were read before; with `times`, on the axis of a run-time report.
Iteration show_memory_report(const SqliteFile& file, const MemoryReportRows& rows, const IterationTimes* times,
                             Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
