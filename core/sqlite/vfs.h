#pragma once

#include <optional>
#include <string>

#include "core/base/input_files.h"
#include "core/base/result.h"
#include "core/system/files.h"

namespace snapviewer {

/// Returns the name of a file system for SQLite without paths: it opens only files that are open already, read-only, and
/// temporary files. Temporary files, in which SQLite sorts, are in SQLite's own memory and so are counted. A connection must
/// set temp_store = FILE, because SQLite sorts a file piece by piece and can be stopped between two pieces, but sorts memory
/// in one step. Thread-safe.
const char* pathless_vfs();

/// Returns the URI under which SQLite reads a database that is open already. Valid as long as the handle; connections that
/// are open by then can go on. Thread-safe.
std::string uri_of_open_file(const FileHandle& file);

/// The current state of a database that may have journals.
struct CurrentDatabase {
    std::optional<ScratchFile>
        /// A copy of the database with the changes in its journals; nullopt if the journals change nothing.
        copy;
    /// Suffix of a journal that was not read because it is not a regular file, such as "-wal"; else empty.
    std::string left_out;
};

/// Looks for journals beside a database, or beside the target if `path` is a link, and copies the database with their pages
/// applied. SQLite applies them, but sees only the database and its journals: otherwise it would open and delete files that
/// a journal names. Writes nothing but the copy. Returns an error if a journal names another file, as after a change of
/// several databases at once, because only that file says whether the change was finished. Does not check the pages of the
/// copy. Stops within 100 ms of a stop request.
Result<CurrentDatabase> absorb_journals(const std::string& path);

}  // namespace snapviewer
