#include <sys/file.h>

#include "core/system/files.h"
#include "core/system/posix/calls.h"
#include "core/system/posix/descriptors.h"

namespace snapviewer {

std::error_code lock_file(const FileHandle& file) {
    return ::flock(descriptor_of(file), LOCK_EX | LOCK_NB) == 0 ? std::error_code() : last_error();
}

}  // namespace snapviewer
