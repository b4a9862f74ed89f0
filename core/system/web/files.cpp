#include "core/system/files.h"

#include "core/system/web/memory_files.h"

namespace snapviewer {

/// All files lie in memory, and end with the page.
FileHandle create_unnamed_file(const std::string& /*folder*/, std::error_code& failed) {
    return create_file_in_memory(failed);
}

FileHandle create_file_in_memory(std::error_code& failed) {
    failed.clear();
    return FileHandle(create_memory_file());
}

std::error_code sync_file(const FileHandle& /*file*/) { return {}; }

}  // namespace snapviewer
