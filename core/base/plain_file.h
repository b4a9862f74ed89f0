#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/system/files.h"

namespace snapviewer {

/// An ordinary file, open for reading at any place. Every file that the user or another file names is opened here: opening
/// never waits, as it would for a pipe that nobody writes to, and never starts anything, as it can with a device.
class PlainFile {
public:
    using Links = SymbolicLinks;

    /// An error where the path leads to anything but an ordinary file.
    static Result<PlainFile> open(const std::string& path, Links links);

    const FileState& info() const { return info_; }
    /// Whether all of `bytes` could be read from there.
    bool read(std::span<std::byte> bytes, std::uint64_t offset_bytes) const;
    const FileHandle& handle() const { return file_; }

private:
    FileHandle file_;
    FileState info_;  ///< when it was opened
};

/// All of an ordinary file of at most so many bytes. The error has no file name in it.
Result<std::string> read_plain_file(const std::string& path, std::uint64_t most_bytes);

}  // namespace snapviewer
