#include "core/system/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/system/posix/calls.h"

namespace snapviewer {

FileHandle create_unnamed_file(const std::string& folder, std::error_code& failed) {
    const int file = ::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    failed = file < 0 ? last_error() : std::error_code();
    // A kernel that does not know the flag tries to open the folder.
    if (failed == std::errc::is_a_directory) failed = std::make_error_code(std::errc::operation_not_supported);
    return FileHandle(file);
}

FileHandle create_file_in_memory(std::error_code& failed) {
    const int file = ::memfd_create("snapviewer", MFD_CLOEXEC);
    failed = file < 0 ? last_error() : std::error_code();
    return FileHandle(file);
}

std::optional<FilePart> next_written_part(const FileHandle& file, std::uint64_t begin, std::uint64_t size_bytes) {
    const off_t data = ::lseek(descriptor_of(file), static_cast<off_t>(begin), SEEK_DATA);
    if (data < 0) return std::nullopt;
    const off_t hole = ::lseek(descriptor_of(file), data, SEEK_HOLE);
    const std::uint64_t end = hole < 0 ? size_bytes : std::min(size_bytes, static_cast<std::uint64_t>(hole));
    return FilePart{static_cast<std::uint64_t>(data), end};
}

}  // namespace snapviewer
