#include "core/system/files.h"

#include <unistd.h>

#include <cstdlib>

#include "core/system/paths.h"
#include "core/system/posix/calls.h"

namespace snapviewer {

/// All files lie in memory, and end with the page.
FileHandle create_unnamed_file(const std::string& folder, std::error_code& failed) {
    std::string path = with_separator(folder) + ".snapviewer-XXXXXX";
    FileHandle file(::mkstemp(path.data()));
    failed = file.is_open() ? std::error_code() : last_error();
    if (!failed) ::unlink(path.c_str());
    return file;
}

FileHandle create_file_in_memory(std::error_code& failed) { return create_unnamed_file("/tmp", failed); }

std::error_code sync_file(const FileHandle& /*file*/) { return {}; }

}  // namespace snapviewer
