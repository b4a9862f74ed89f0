#pragma once

#include <cstdint>
#include <vector>

#include "core/load/profilers/ascend/records.h"
#include "core/trace/snapshot.h"

namespace snapviewer::ascend {

/// A device's totals over time: what operators allocated, used and reserved, the same for each allocator, and the whole
/// process. Repeated values are left out: a value holds until the next. The totals that were read are gone afterwards.
std::vector<Series> memory_series(SqliteFile& file, std::int32_t device, DeviceRows& rows, ImportLog& log);

/// Totals of the WORKSPACE allocator, which the others do not include.
std::vector<Series> workspace_series(const std::vector<TotalsRow>& totals);

/// What else was measured: steps, garbage collection, what the runtime's modules reserved, and the counters of one device.
/// Those without rows are absent; those that never change are a note.
std::vector<Track> read_tracks(SqliteFile& file, std::int32_t device, ImportLog& log);

/// Lets the picture reach as far as memory was recorded; where none was, as far as anything was.
void find_edges(DeviceTrace& trace);

}  // namespace snapviewer::ascend
