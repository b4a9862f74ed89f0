#include "core/system/mapping.h"

#include <utility>

#include "core/system/memory.h"
#include "core/system/windows/calls.h"

// Windows refuses to truncate a mapped file. No page can be lost, so there is no guard.
namespace snapviewer {

Mapping Mapping::of(const FileHandle& file, std::size_t size_bytes, std::error_code& failed) {
    failed.clear();
    Mapping mapping;
    if (size_bytes == 0) return mapping;
    const HANDLE section = ::CreateFileMappingW(handle_of(file), nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (section == nullptr) {
        failed = last_error();
        return mapping;
    }
    const FileHandle closes_section = file_of(section);
    const void* const data = ::MapViewOfFile(section, FILE_MAP_READ, 0, 0, size_bytes);
    if (data == nullptr) {
        failed = last_error();
        return mapping;
    }
    mapping.data_ = static_cast<const std::byte*>(data);
    mapping.size_bytes_ = size_bytes;
    return mapping;
}

Mapping::Mapping(Mapping&& other) noexcept { *this = std::move(other); }

Mapping& Mapping::operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(released_, other.released_);
    return *this;
}

Mapping::~Mapping() {
    if (data_ != nullptr) ::UnmapViewOfFile(data_);
}

void Mapping::wait_for(std::size_t /*end*/) const {}

bool Mapping::has_lost_pages() const { return false; }

void Mapping::release_up_to(std::size_t end) {
    end = end / page_bytes() * page_bytes();
    if (end <= released_) return;
    // VirtualUnlock() reports an error for pages that are not locked, but it removes them from the resident memory.
    ::VirtualUnlock(const_cast<std::byte*>(data_) + released_, end - released_);
    released_ = end;
}

}  // namespace snapviewer
