#include "core/base/plain_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/base/units.h"

namespace snapviewer {

Result<PlainFile> PlainFile::open(const std::string& path, Links links) {
    PlainFile plain;
    const int no_links = links == Links::refuse ? O_NOFOLLOW : 0;
    plain.file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | no_links));
    struct stat info {};
    if (!plain.file_.is_open() || ::fstat(plain.file_.number(), &info) != 0)
        return Error{ErrorCode::io, std::string("cannot be opened: ") + std::strerror(errno)};
    if (S_ISDIR(info.st_mode)) return Error{ErrorCode::bad_file, "is a directory; expected a file"};
    if (!S_ISREG(info.st_mode)) return Error{ErrorCode::bad_file, "is not a regular file"};
    constexpr std::uint64_t k_block_bytes = 512;  // POSIX counts in these whatever the file system does
    plain.info_.size_bytes = static_cast<std::uint64_t>(info.st_size);
    plain.info_.on_disk_bytes = static_cast<std::uint64_t>(info.st_blocks) * k_block_bytes;
    return plain;
}

bool PlainFile::read(std::span<std::byte> bytes, std::uint64_t offset_bytes) const {
    while (!bytes.empty()) {
        const ssize_t got = ::pread(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset_bytes));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(got));
        offset_bytes += static_cast<std::uint64_t>(got);
    }
    return true;
}

Result<std::string> read_plain_file(const std::string& path, std::uint64_t most_bytes) {
    const Result<PlainFile> file = PlainFile::open(path, PlainFile::Links::follow);
    if (!file) return file.error();
    const std::uint64_t size_bytes = file->info().size_bytes;
    if (size_bytes > most_bytes)
        return Error{ErrorCode::bad_file, fmt::format("is larger than {}, the most that is read", format_bytes(most_bytes))};
    std::string text(size_bytes, '\0');
    if (!file->read(std::as_writable_bytes(std::span(text)), 0)) return Error{ErrorCode::io, "could not be read"};
    return text;
}

}  // namespace snapviewer
