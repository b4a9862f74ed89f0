#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/descriptor.h"
#include "core/base/result.h"

namespace snapviewer {

/// What an open file is, apart from its bytes.
struct PlainFileInfo {
    std::uint64_t size_bytes = 0;
    std::uint64_t on_disk_bytes = 0;  ///< without its holes
};

/// An ordinary file, open for reading at any place. Every file that the user or another file names is opened here: opening
/// never waits, as it would for a pipe that nobody writes to, and never starts anything, as it can with a device.
class PlainFile {
public:
    enum class Links : std::uint8_t { follow, refuse };

    /// An error where the path leads to anything but an ordinary file.
    static Result<PlainFile> open(const std::string& path, Links links);

    const PlainFileInfo& info() const { return info_; }
    /// Whether all of `bytes` could be read from there.
    bool read(std::span<std::byte> bytes, std::uint64_t offset_bytes) const;
    /// For system calls that take one.
    int descriptor() const { return file_.number(); }

private:
    Descriptor file_;
    PlainFileInfo info_;
};

/// All of an ordinary file of at most so many bytes. The error has no file name in it.
Result<std::string> read_plain_file(const std::string& path, std::uint64_t most_bytes);

}  // namespace snapviewer
