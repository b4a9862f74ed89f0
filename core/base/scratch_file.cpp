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
#include <optional>
#include <utility>

#include "core/base/memory_there.h"
#include "core/base/units.h"

namespace snapviewer {
namespace {

namespace fs = std::filesystem;

/// Why not, if it would leave less than a tenth of what is free there.
std::optional<Error> lacks_room(const std::string& folder, std::uint64_t expected_bytes) {
    struct statvfs system {};
    if (::statvfs(folder.c_str(), &system) != 0) return std::nullopt;
    const std::uint64_t free_bytes = std::uint64_t{system.f_bavail} * system.f_frsize;
    if (expected_bytes <= free_bytes - free_bytes / 10) return std::nullopt;
    return Error{ErrorCode::io, fmt::format("needs a temporary file of {}, but only {} is free in {}; set the environment "
                                            "variable TMPDIR to a folder with more room",
                                            format_bytes(expected_bytes), format_bytes(free_bytes), folder)};
}

/// Some file systems know no files without a name, and a name could not be taken away again in a sandbox.
bool needs_names(int code) { return code == EOPNOTSUPP || code == EISDIR; }

Error cannot_be_made(const std::string& folder, int code) {
    return {ErrorCode::io,
            fmt::format("needs a temporary file, which cannot be created in {}: {}", folder, std::strerror(code))};
}

Result<Descriptor> open_in_memory(const std::string& folder, std::uint64_t expected_bytes) {
    const std::uint64_t free_bytes = available_memory_bytes();
    if (expected_bytes > free_bytes - free_bytes / 10) {
        return Error{ErrorCode::io,
                     fmt::format("needs a temporary file of {}, but the file system of {} has no unnamed files and only {} "
                                 "of memory is free; set the environment variable TMPDIR to another folder",
                                 format_bytes(expected_bytes), folder, format_bytes(free_bytes))};
    }
    Descriptor file(::memfd_create("snapviewer", MFD_CLOEXEC));
    if (!file.is_open()) return cannot_be_made(folder, errno);
    return file;
}

}  // namespace

Result<ScratchFile> ScratchFile::create(std::uint64_t expected_bytes) {
    std::error_code failed;
    ScratchFile scratch;
    scratch.folder_ = fs::temp_directory_path(failed).string();
    if (failed) return Error{ErrorCode::io, fmt::format("there is no folder for temporary files: {}", failed.message())};
    scratch.file_ = Descriptor(::open(scratch.folder_.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const int code = scratch.file_.is_open() ? 0 : errno;
    if (needs_names(code)) {
        Result<Descriptor> file = open_in_memory(scratch.folder_, expected_bytes);
        if (!file) return file.error();
        scratch.file_ = *std::move(file);
        return scratch;
    }
    if (const std::optional<Error> lack = lacks_room(scratch.folder_, expected_bytes)) return *lack;
    if (code != 0) return cannot_be_made(scratch.folder_, code);
    return scratch;
}

Error ScratchFile::no_room() const {
    return {ErrorCode::io,
            fmt::format("needs a temporary file, which cannot be written in {}: {}", folder_, std::strerror(errno))};
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
