#include "core/base/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/mapping_guard.h"

namespace snapviewer {

Result<MappedFile> MappedFile::open(const std::string& path) {
    Result<PlainFile> file = PlainFile::open(path, PlainFile::Links::follow);
    if (!file) return file.error();
    MappedFile mapped;
    if (Status done = mapped.map(file->descriptor(), file->info().size_bytes); !done) return done.error();
    mapped.file_ = *std::move(file);
    return mapped;
}

Result<MappedFile> MappedFile::of(const ScratchFile& file) {
    MappedFile mapped;
    if (Status done = mapped.map(file.descriptor(), file.size_bytes()); !done) return done.error();
    return mapped;
}

Status MappedFile::map(int file, std::uint64_t size_bytes) {
    size_ = static_cast<std::size_t>(size_bytes);
    if (size_ == 0) return {};
    void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED)
        return Error{ErrorCode::io, std::string("cannot be mapped into memory: ") + std::strerror(errno), {}, {}};
    data_ = static_cast<const std::byte*>(data);
    guard_ = guard_mapping(bytes());
    ::madvise(data, size_, MADV_SEQUENTIAL);
    return {};
}

MappedFile::MappedFile(MappedFile&& other) noexcept { *this = std::move(other); }

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(released_, other.released_);
    std::swap(guard_, other.guard_);
    return *this;
}

MappedFile::~MappedFile() {
    if (guard_ != nullptr) release_guard(*guard_);
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Status MappedFile::check_still_whole() const {
    struct stat info {};
    const bool is_shorter =
        file_ && ::fstat(file_->descriptor(), &info) == 0 && static_cast<std::size_t>(info.st_size) < size_;
    if (!is_shorter && (guard_ == nullptr || !has_lost_pages(*guard_))) return {};
    return Error{ErrorCode::io, "became shorter while it was being read; open it again once nothing is writing to it"};
}

void MappedFile::release_up_to(std::size_t end) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    end = end / page * page;
    if (end <= released_) return;
    ::madvise(const_cast<std::byte*>(data_) + released_, end - released_, MADV_DONTNEED);
    released_ = end;
}

}  // namespace snapviewer
