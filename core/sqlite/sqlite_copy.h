#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/base/scratch_file.h"

namespace snapviewer {

/// The current state of a database that may have journals.
struct CurrentDatabase {
    std::optional<ScratchFile>
        /// A copy of the database with the changes in its journals; nullopt if the journals change nothing.
        copy;
    /// Suffix of a journal that was not read because it is not a regular file, such as "-wal"; else empty.
    std::string left_out;
};

/// Looks for journals beside a database, or beside the target if `path` is a link, and copies the database with their pages
/// applied. SQLite applies them inside a JournalCage. Writes nothing but the copy and opens no other file. Stops within 100
/// ms of a stop request.
Result<CurrentDatabase> absorb_journals(const std::string& path);

}  // namespace snapviewer
