#pragma once

#include <memory>

#include "core/load/load.h"

namespace snapviewer {

bool is_ascend_profiler(const SqliteFile& file);

/// Reads a database of the Ascend PyTorch Profiler: every device's memory, curves and tracks. Throws Failure.
void read_ascend_profiler(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// Reads the databases of two ranks, whose clock is the same on one host: the devices of the first, then those of the
/// second, each with the details of its own file. Fails where both have the same device. Throws Failure.
void read_ascend_ranks(const std::shared_ptr<SqliteFile>& first, const std::shared_ptr<SqliteFile>& second,
                       Snapshot& snapshot, LoadedFile& loaded);

bool is_msprof(const SqliteFile& file);

/// Reads what msprof writes without PyTorch: the blocks of the graph engine, with their addresses. Throws Failure.
void read_msprof(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
