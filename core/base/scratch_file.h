#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/system/files.h"

namespace snapviewer {

/// A temporary file without a name: nobody else can open it, and it is gone with the process, however that ends. One thread
/// writes; then any number may read.
class ScratchFile {
public:
    /// In the folder for temporary files (TMPDIR), or in memory where its file system has no files without a name. An error
    /// where `expected_bytes` would leave less than a tenth of what is free there.
    static Result<ScratchFile> create(std::uint64_t expected_bytes);

    /// The file grows as needed; what was never written reads as zeros and takes no room.
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
