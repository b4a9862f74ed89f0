#pragma once

#include <memory>

#include "core/load/load.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

bool is_msmemscope(const SqliteFile& file);

/// A database of Ascend's msMemScope (or msLeaks, as it was called before): a picture for each kind of memory of each
/// device, with real addresses and stacks, what lasts below it, and details. Snapshot::kind is "msmemscope".
void read_msmemscope(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
