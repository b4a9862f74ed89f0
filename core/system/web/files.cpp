#include "core/system/files.h"

#include <sys/stat.h>

#include "core/system/web/memory_files.h"

namespace snapviewer {

/// All files of a page are in memory and are lost when it is closed.
FileHandle create_unnamed_file(const std::string& /*folder*/, std::error_code& failed) {
    return create_file_in_memory(failed);
}

FileHandle create_file_in_memory(std::error_code& failed) {
    failed.clear();
    return FileHandle(create_memory_file());
}

/// Locks are not supported: no other program sees the files of a page. Emscripten's flock() always succeeds, so that a file
/// that is being written would look abandoned.
std::error_code lock_file(const FileHandle& /*file*/) { return std::make_error_code(std::errc::not_supported); }

std::error_code sync_file(const FileHandle& /*file*/) { return {}; }

std::optional<FileVersion> version_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return std::nullopt;
    const auto ns = [](const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
    return FileVersion{info.st_ino, static_cast<std::uint64_t>(info.st_size), ns(info.st_mtim), ns(info.st_ctim)};
}

}  // namespace snapviewer
