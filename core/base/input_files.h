#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/system/files.h"

namespace snapviewer {

/// A regular file, open for reading at any offset. Every file that the user or another file names must be opened with this
/// class: opening never blocks, as it would for a pipe without a writer, and has no side effects, as opening a device can
/// have.
class PlainFile {
public:
    using Links = SymbolicLinks;

    /// Opens a file. Returns an error if `path` is not a regular file.
    static Result<PlainFile> open(const std::string& path, Links links);

    const FileState& info() const { return info_; }
    /// Reads bytes.size() bytes from an offset; false if that many cannot be read.
    bool read(std::span<std::byte> bytes, std::uint64_t offset_bytes) const;
    const FileHandle& handle() const { return file_; }

private:
    FileHandle file_;
    FileState info_;  ///< state at the time of opening
};

/// Reads a whole regular file of at most `max_bytes` bytes. The message of an error does not contain the file name.
Result<std::string> read_plain_file(const std::string& path, std::uint64_t max_bytes);

/// A temporary file without a name: no other process can open it, and it disappears when the process ends, however that
/// happens. One thread writes; afterwards any number of threads may read.
class ScratchFile {
public:
    /// Creates the file in the folder for temporary files (TMPDIR), or in memory if its file system does not support unnamed
    /// files. Returns an error if `expected_bytes` would leave less than a tenth of the free space there.
    static Result<ScratchFile> create(std::uint64_t expected_bytes);

    /// Writes bytes at an offset. The file grows as needed; gaps read as zeros and take no space.
    Status write(std::span<const std::byte> bytes, std::uint64_t offset_bytes);
    Status resize(std::uint64_t size_bytes);
    std::uint64_t size_bytes() const;
    const FileHandle& handle() const { return file_; }

private:
    Status written(std::error_code failed) const;

    FileHandle file_;
    std::string folder_;
};

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

    /// Announces that bytes [0, end) will not be read again, so that the system can remove them from resident memory.
    void release_up_to(std::size_t end) { mapping_.release_up_to(end); }

private:
    Status map(const FileHandle& file, std::uint64_t size_bytes);

    std::optional<PlainFile> file_;
    Mapping mapping_;
};

}  // namespace snapviewer
