#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/base/scratch_file.h"

namespace snapviewer {

/// What has to be read in place of a database.
struct CurrentDatabase {
    std::optional<ScratchFile>
        copy;              ///< where journals beside it hold changes: the database with them; else itself is complete
    std::string left_out;  ///< ending of a journal that is not read because it is no ordinary file: "-wal"
};

/// Looks for journals beside a database, or beside what it is a link to, and puts the pages they hold into a copy. SQLite
/// takes no part in it; nothing but the copy is written, no other file opened. Stops within 100 ms.
Result<CurrentDatabase> absorb_journals(const std::string& path);

}  // namespace snapviewer
