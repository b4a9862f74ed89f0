#pragma once

#include <memory>
#include <string>

#include "core/load/load.h"

namespace snapviewer {

/// What is known of a database that no reader recognises, as a sentence for people: which program's it is and what it lacks.
std::string describe_other(const SqliteFile& file);

/// Notes that sentence; the tables can be queried. Snapshot::kind is sqlite.
void read_other_database(const std::shared_ptr<SqliteFile>& file, Snapshot& snapshot, LoadedFile& loaded);

}  // namespace snapviewer
