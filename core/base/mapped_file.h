#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/base/plain_file.h"
#include "core/base/result.h"
#include "core/base/scratch_file.h"
#include "core/system/mapping.h"

namespace snapviewer {

/// Read-only memory mapping of a whole file. Opening reads nothing; the pages are loaded on first access. If another program
/// truncates the file meanwhile, the missing part reads as zeros, so call check_still_whole() after reading. Movable; moving
/// does not change the address of the bytes.
class MappedFile {
public:
    static Result<MappedFile> open(const std::string& path);
    /// Maps a temporary file, which no other program can truncate. The mapping may outlive `file`.
    static Result<MappedFile> of(const ScratchFile& file);

    MappedFile() = default;

    std::size_t size_bytes() const { return mapping_.size_bytes(); }
    std::span<const std::byte> bytes() const { return bytes_up_to(size_bytes()); }
    /// The first `end` bytes. In a browser this does not wait until the whole file has been transferred.
    std::span<const std::byte> bytes_up_to(std::size_t end) const { return mapping_.bytes_up_to(end); }

    /// Returns an error with code io if the file has become shorter since it was opened.
    Status check_still_whole() const;

    /// Tells the system that bytes [0, end) will not be read again, so that it can remove them from resident memory.
    void release_up_to(std::size_t end) { mapping_.release_up_to(end); }

private:
    Status map(const FileHandle& file, std::uint64_t size_bytes);

    std::optional<PlainFile> file_;
    Mapping mapping_;
};

}  // namespace snapviewer
