#include "core/system/mapping.h"

#include <sys/mman.h>

#include <utility>

#include "core/system/memory.h"
#include "core/system/posix/calls.h"
#include "core/system/posix/mapping_guard.h"

namespace snapviewer {

Mapping Mapping::of(const FileHandle& file, std::size_t size_bytes, std::error_code& failed) {
    failed.clear();
    Mapping mapping;
    if (size_bytes == 0) return mapping;
    void* const data = ::mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, descriptor_of(file), 0);
    if (data == MAP_FAILED) {
        failed = last_error();
        return mapping;
    }
    mapping.data_ = static_cast<const std::byte*>(data);
    mapping.size_bytes_ = size_bytes;
    mapping.guard_ = guard_mapping({mapping.data_, mapping.size_bytes_});
    ::madvise(data, size_bytes, MADV_SEQUENTIAL);
    return mapping;
}

Mapping::Mapping(Mapping&& other) noexcept { *this = std::move(other); }

Mapping& Mapping::operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(released_, other.released_);
    std::swap(guard_, other.guard_);
    return *this;
}

Mapping::~Mapping() {
    if (guard_ != nullptr) release_guard(*guard_);
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_bytes_);
}

void Mapping::wait_for(std::size_t /*end*/) const {}

bool Mapping::has_lost_pages() const { return guard_ != nullptr && snapviewer::has_lost_pages(*guard_); }

void Mapping::release_up_to(std::size_t end) {
    end = end / page_bytes() * page_bytes();
    if (end <= released_) return;
    ::madvise(const_cast<std::byte*>(data_) + released_, end - released_, MADV_DONTNEED);
    released_ = end;
}

}  // namespace snapviewer
