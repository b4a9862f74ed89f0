#pragma once

#include <cstddef>
#include <span>
#include <system_error>

#include "core/system/file_handle.h"

namespace snapviewer {

struct MappingGuard;

/// Read-only view of the beginning of a file, whose handle need not outlive it. The pages come in as they are touched. What
/// is cut off from the file meanwhile reads as zeros. Movable; the bytes stay where they are.
class Mapping {
public:
    static Mapping of(const FileHandle& file, std::size_t size_bytes, std::error_code& failed);

    Mapping() = default;
    Mapping(Mapping&& other) noexcept;
    Mapping& operator=(Mapping&& other) noexcept;
    ~Mapping();

    std::size_t size_bytes() const { return size_bytes_; }
    /// The first so many bytes. A page waits until the browser has given it these.
    std::span<const std::byte> bytes_up_to(std::size_t end) const {
        wait_for(end);
        return {data_, end};
    }
    /// Whether zeros were read in the place of what the file had.
    bool has_lost_pages() const;
    /// Tells the system that bytes [0, end) will not be read again, so that they leave the resident memory.
    void release_up_to(std::size_t end);

private:
    void wait_for(std::size_t end) const;

    const std::byte* data_ = nullptr;
    std::size_t size_bytes_ = 0;
    std::size_t released_ = 0;
    MappingGuard* guard_ = nullptr;
};

}  // namespace snapviewer
