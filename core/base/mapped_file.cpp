#include "core/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/mapping_guard.h"

namespace snapviewer {
namespace {

Error io_error(const char* what) { return {ErrorCode::io, std::string(what) + ": " + std::strerror(errno), {}, {}}; }

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
    MappedFile mapped;
    mapped.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (mapped.fd_ < 0) return io_error("cannot be opened");
    struct stat info {};
    if (::fstat(mapped.fd_, &info) != 0) return io_error("cannot be examined");
    if (S_ISDIR(info.st_mode)) return Error{ErrorCode::bad_file, "is a directory; expected a snapshot file", {}, {}};
    if (!S_ISREG(info.st_mode)) return Error{ErrorCode::bad_file, "is not a regular file", {}, {}};
    mapped.size_ = static_cast<std::size_t>(info.st_size);
    if (mapped.size_ == 0) return mapped;
    void* data = ::mmap(nullptr, mapped.size_, PROT_READ, MAP_PRIVATE, mapped.fd_, 0);
    if (data == MAP_FAILED) return io_error("cannot be mapped into memory");
    mapped.data_ = static_cast<const std::byte*>(data);
    mapped.guard_ = guard_mapping(mapped.bytes());
    ::madvise(data, mapped.size_, MADV_SEQUENTIAL);
    return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(released_, other.released_);
    std::swap(guard_, other.guard_);
    return *this;
}

MappedFile::~MappedFile() {
    if (guard_ != nullptr) release_guard(*guard_);
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
    if (fd_ >= 0) ::close(fd_);
}

Status MappedFile::check_still_whole() const {
    struct stat info {};
    const bool is_shorter = fd_ >= 0 && ::fstat(fd_, &info) == 0 && static_cast<std::size_t>(info.st_size) < size_;
    if (!is_shorter && (guard_ == nullptr || !has_lost_pages(*guard_))) return {};
    return Error{ErrorCode::io, "became shorter while it was read; open it again when nothing writes to it any more"};
}

void MappedFile::release_up_to(std::size_t end) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    end = end / page * page;
    if (end <= released_) return;
    ::madvise(const_cast<std::byte*>(data_) + released_, end - released_, MADV_DONTNEED);
    released_ = end;
}

}  // namespace snapviewer
