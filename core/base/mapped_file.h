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

/// Read-only view of a whole file. Opening costs no reading; the pages come in as they are touched. What another program
/// cuts off meanwhile reads as zeros, so whoever reads asks check_still_whole() at the end. Movable; the view moves along.
class MappedFile {
public:
    static Result<MappedFile> open(const std::string& path);
    /// Of a temporary file, which nobody else can shorten; it need not outlive the view.
    static Result<MappedFile> of(const ScratchFile& file);

    MappedFile() = default;

    std::size_t size_bytes() const { return mapping_.size_bytes(); }
    std::span<const std::byte> bytes() const { return bytes_up_to(size_bytes()); }
    /// The first so many, for which a page need not wait until the browser has given it all.
    std::span<const std::byte> bytes_up_to(std::size_t end) const { return mapping_.bytes_up_to(end); }

    /// An error of code io if the file has become shorter since it was opened.
    Status check_still_whole() const;

    /// Tells the system that bytes [0, end) will not be read again, so that they leave the resident memory.
    void release_up_to(std::size_t end) { mapping_.release_up_to(end); }

private:
    Status map(const FileHandle& file, std::uint64_t size_bytes);

    std::optional<PlainFile> file_;
    Mapping mapping_;
};

}  // namespace snapviewer
