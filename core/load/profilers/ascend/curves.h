#pragma once

#include <cstdint>
#include <vector>

#include "core/load/profilers/ascend/records.h"
#include "core/trace/snapshot.h"

namespace snapviewer::ascend {

/// The totals of a device as curves over time: what operators allocated, used and reserved, the same totals for each
/// allocator, and the memory of the whole process. Omits repeated values: a value holds until the next one. Consumes the
/// totals in `rows`.
std::vector<Series> memory_series(SqliteFile& file, std::int32_t device, DeviceRows& rows, ImportLog& log);

/// The totals of the WORKSPACE allocator, which the other curves do not include.
std::vector<Series> workspace_series(const std::vector<TotalsRow>& totals);

/// Reads everything measured besides memory: steps, garbage collections, memory reserved by the runtime's modules, and the
/// counters of one device. Omits tracks without rows. A track of constant values becomes a note.
std::vector<Track> read_tracks(SqliteFile& file, std::int32_t device, ImportLog& log);

/// Adds curves and tracks to a device. Sets the start and end of the picture to the time range in which memory was recorded
/// or, if there is none, to the range of all curves and tracks.
void add_curves(DeviceTrace& trace, std::vector<Series> memory, std::vector<Track> tracks);

}  // namespace snapviewer::ascend
