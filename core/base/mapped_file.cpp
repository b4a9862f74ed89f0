#include "core/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace snapviewer {
namespace {

Error io_error(const char* what) { return {ErrorCode::io, std::string(what) + ": " + std::strerror(errno), {}, {}}; }

/// Closes on every way out.
struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) return io_error("cannot be opened");
    struct stat info {};
    if (::fstat(file.fd, &info) != 0) return io_error("cannot be examined");
    if (S_ISDIR(info.st_mode)) return Error{ErrorCode::bad_file, "is a directory; expected a snapshot file", {}, {}};
    if (!S_ISREG(info.st_mode)) return Error{ErrorCode::bad_file, "is not a regular file", {}, {}};
    MappedFile mapped;
    mapped.size_ = static_cast<std::size_t>(info.st_size);
    if (mapped.size_ == 0) return mapped;
    void* data = ::mmap(nullptr, mapped.size_, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (data == MAP_FAILED) return io_error("cannot be mapped into memory");
    mapped.data_ = static_cast<const std::byte*>(data);
    ::madvise(data, mapped.size_, MADV_SEQUENTIAL);
    return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(released_, other.released_);
    return *this;
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::release_up_to(std::size_t end) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    end = end / page * page;
    if (end <= released_) return;
    ::madvise(const_cast<std::byte*>(data_) + released_, end - released_, MADV_DONTNEED);
    released_ = end;
}

}  // namespace snapviewer
