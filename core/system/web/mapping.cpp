#include "core/system/mapping.h"

#include <cstdlib>
#include <memory>
#include <utility>

#include "core/system/files.h"
#include "core/system/web/browser_files.h"

// A web page cannot map files, so the file is read into memory instead.
namespace snapviewer {

/// Keeps the copy of a file that the page may still be writing.
struct MappingGuard {
    std::shared_ptr<FileCopy> copy;
};

Mapping Mapping::of(const FileHandle& file, std::size_t size_bytes, std::error_code& failed) {
    failed.clear();
    Mapping mapping;
    if (size_bytes == 0) return mapping;
    if (const auto given = browser_file_of(file.number()); given && given->size_bytes == size_bytes) {
        if (std::shared_ptr<FileCopy> copy = take_copy(file.number())) {
            mapping.data_ = copy->bytes();
            mapping.size_bytes_ = size_bytes;
            mapping.guard_ = new MappingGuard{std::move(copy)};
            return mapping;
        }
    }
    mapping.data_ = static_cast<const std::byte*>(std::malloc(size_bytes));
    if (mapping.data_ == nullptr) {
        failed = std::make_error_code(std::errc::not_enough_memory);
        return mapping;
    }
    mapping.size_bytes_ = size_bytes;
    const std::span<std::byte> bytes(const_cast<std::byte*>(mapping.data_), size_bytes);
    if (read_at(file, bytes, 0, failed) < size_bytes && !failed) failed = std::make_error_code(std::errc::io_error);
    return mapping;
}

Mapping::Mapping(Mapping&& other) noexcept { *this = std::move(other); }

Mapping& Mapping::operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_bytes_, other.size_bytes_);
    std::swap(guard_, other.guard_);
    return *this;
}

Mapping::~Mapping() {
    if (guard_ == nullptr) std::free(const_cast<std::byte*>(data_));
    delete guard_;
}

void Mapping::wait_for(std::size_t end) const {
    if (guard_ != nullptr) guard_->copy->wait_for(end);
}

bool Mapping::has_lost_pages() const { return guard_ != nullptr && guard_->copy->has_lost_bytes(); }

void Mapping::release_up_to(std::size_t /*end*/) {}

}  // namespace snapviewer
