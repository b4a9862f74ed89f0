#include "core/system/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/posix/files.h"

namespace snapviewer {

FileHandle create_unnamed_file(const std::string& folder, std::error_code& failed) {
    const int file = ::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    failed = file < 0 ? last_error() : std::error_code();
    // A kernel without O_TMPFILE tries to open the folder itself and fails with EISDIR.
    if (failed == std::errc::is_a_directory) failed = std::make_error_code(std::errc::operation_not_supported);
    return FileHandle(file);
}

FileHandle create_file_in_memory(std::error_code& failed) {
    const int file = ::memfd_create("snapviewer", MFD_CLOEXEC);
    failed = file < 0 ? last_error() : std::error_code();
    return FileHandle(file);
}

std::error_code sync_file(const FileHandle& file) {
    return ::fsync(descriptor_of(file)) == 0 ? std::error_code() : last_error();
}

std::optional<FileVersion> version_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    const auto ns = [](const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
    return FileVersion{info.st_ino, static_cast<std::uint64_t>(info.st_size), ns(info.st_mtim), ns(info.st_ctim)};
}

}  // namespace snapviewer
