#pragma once

#include <memory>

#include "core/load/profilers/loaded_file.h"

namespace snapviewer {

bool is_ascend_profiler(const SqliteFile& file);

/// Reads a database of the Ascend PyTorch Profiler: memory, curves and tracks of every device. Throws Failure.
void read_ascend_profiler(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

/// Reads the databases of two ranks of one host, which share a clock: the devices of the first, then those of the second,
/// each with the details of its own file. Throws Failure, also if both files contain the same device.
void read_ascend_ranks(const std::shared_ptr<SqliteFile>& first, const std::shared_ptr<SqliteFile>& second,
                       Snapshot& snapshot, LoadedFile& loaded);

bool is_msprof(const SqliteFile& file);

/// Reads the output of msprof without PyTorch: the blocks of the graph engine, with their addresses. Throws Failure.
void read_msprof(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
