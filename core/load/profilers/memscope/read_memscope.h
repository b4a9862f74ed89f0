#pragma once

#include <memory>

#include "core/load/profilers/loaded_file.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

bool is_msmemscope(const SqliteFile& file);

/// Reads a database of Ascend's msMemScope, formerly msLeaks: a picture for each kind of memory of each device, with real
/// addresses and stacks, tracks of activities below it, and details. Snapshot::kind is "msmemscope".
void read_msmemscope(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
