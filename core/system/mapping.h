#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "core/system/file_handle.h"

namespace snapviewer {

struct MappingGuard;

/// A read-only memory mapping of the beginning of a file. The file handle may be closed earlier. Pages are loaded when they
/// are read. If the file is truncated meanwhile, the missing bytes read as zeros. Movable; the mapped address does not
/// change.
class Mapping {
public:
    static Mapping of(const FileHandle& file, std::size_t size_bytes, std::error_code& failed);

    Mapping() = default;
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping();

    std::size_t size_bytes() const { return size_bytes_; }
    /// The bytes [0, end). In the browser, waits until these bytes have been loaded.
    std::span<const std::byte> bytes_up_to(std::size_t end) const {
        wait_for(end);
        return {data_, end};
    }
    /// True if zeros were read in place of bytes that the file has lost.
    bool has_lost_pages() const;
    /// Lets the system drop the pages of bytes [0, end) from memory. Precondition: they are not read again.
    void release_up_to(std::size_t end);

private:
    void wait_for(std::size_t end) const;

    const std::byte* data_ = nullptr;
    std::size_t size_bytes_ = 0;
    std::size_t released_ = 0;
    MappingGuard* guard_ = nullptr;
};

}  // namespace snapviewer
