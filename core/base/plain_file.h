#pragma once

#include <cstddef>
#include <cstdint>
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

/// Reads a whole regular file of at most `most_bytes` bytes. The message of an error does not contain the file name.
Result<std::string> read_plain_file(const std::string& path, std::uint64_t most_bytes);

}  // namespace snapviewer
