#include "core/base/scratch_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/units.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

Descriptor open_nameless(const std::string& folder) {
    Descriptor file(::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.is_open()) return file;
    // Some file systems cannot make a file without a name, and the sandbox lets none be removed: there it is in memory.
    const bool can_be_written = ::access(folder.c_str(), W_OK) == 0;
    return can_be_written ? Descriptor(::memfd_create("snapviewer", MFD_CLOEXEC)) : std::move(file);
}

}  // namespace

Result<ScratchFile> ScratchFile::create(std::uint64_t expected_bytes) {
    std::error_code error;
    ScratchFile scratch;
    scratch.folder_ = fs::temp_directory_path(error).string();
    if (error) return Error{ErrorCode::io, fmt::format("there is no folder for temporary files: {}", error.message())};
    struct statvfs system {};
    if (::statvfs(scratch.folder_.c_str(), &system) == 0) {
        const std::uint64_t free_bytes = std::uint64_t{system.f_bavail} * system.f_frsize;
        if (expected_bytes > free_bytes - free_bytes / 10) {
            return Error{
                ErrorCode::io,
                fmt::format("takes a temporary file of {}, and {} are free in {}; the environment variable TMPDIR can "
                            "name a folder with more room",
                            format_bytes(expected_bytes), format_bytes(free_bytes), scratch.folder_)};
        }
    }
    scratch.file_ = open_nameless(scratch.folder_);
    if (!scratch.file_.is_open()) {
        return Error{ErrorCode::io, fmt::format("takes a temporary file, which cannot be made in {}: {}", scratch.folder_,
                                                std::strerror(errno))};
    }
    return scratch;
}

Error ScratchFile::no_room() const {
    return {ErrorCode::io,
            fmt::format("takes a temporary file, which cannot be completed in {}: {}", folder_, std::strerror(errno))};
}

Status ScratchFile::write(std::span<const std::byte> bytes, std::uint64_t offset_bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return no_room();
        bytes = bytes.subspan(static_cast<std::size_t>(put));
        offset_bytes += static_cast<std::uint64_t>(put);
    }
    return {};
}

Status ScratchFile::resize(std::uint64_t size_bytes) {
    if (::ftruncate(file_.number(), static_cast<off_t>(size_bytes)) != 0) return no_room();
    return {};
}

std::uint64_t ScratchFile::size_bytes() const {
    struct stat info {};
    return ::fstat(file_.number(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

}  // namespace snapviewer
