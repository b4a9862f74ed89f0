#pragma once

#include <memory>
#include <string>

#include "core/load/profilers/loaded_file.h"

namespace snapviewer {

/// Describes a database that no reader supports, as a sentence for users: the program that wrote it and why it cannot be
/// drawn.
std::string describe_other(const SqliteFile& file);

/// Logs the sentence of describe_other(). The tables can still be queried. Snapshot::kind is sqlite.
void read_other_database(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
