#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/system/files.h"

namespace snapviewer {

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

}  // namespace snapviewer
