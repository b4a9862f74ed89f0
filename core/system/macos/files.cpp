#include "core/system/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "core/system/posix/files.h"

namespace snapviewer {

/// macOS has no call that creates an unnamed file, so the file is created with a name and unlinked.
FileHandle create_unnamed_file(const std::string& folder, std::error_code& failed) {
    std::string path = with_separator(folder) + ".snapviewer-XXXXXX";
    FileHandle file(::mkstemp(path.data()));
    failed = file.is_open() ? std::error_code() : last_error();
    if (failed) return file;
    ::unlink(path.c_str());
    ::fcntl(descriptor_of(file), F_SETFD, FD_CLOEXEC);
    return file;
}

FileHandle create_file_in_memory(std::error_code& failed) {
    failed = std::make_error_code(std::errc::operation_not_supported);
    return {};
}

/// fsync() of macOS does not flush the disk's own cache; F_FULLFSYNC does.
std::error_code sync_file(const FileHandle& file) {
    return ::fcntl(descriptor_of(file), F_FULLFSYNC) == 0 ? std::error_code() : last_error();
}

std::optional<FileVersion> version_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    const auto ns = [](const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
    return FileVersion{info.st_ino, static_cast<std::uint64_t>(info.st_size), ns(info.st_mtimespec), ns(info.st_ctimespec)};
}

}  // namespace snapviewer
