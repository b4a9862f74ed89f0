#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace snapviewer {

/// What tells that a file was written to. Absent files, and files that cannot be asked, are equal.
struct FileStamp {
    bool exists = false;
    std::uintmax_t size_bytes = 0;
    std::filesystem::file_time_type modified;
    bool operator==(const FileStamp&) const = default;
};

/// Of each path and of the journal that a database may have beside it.
using FileStamps = std::vector<FileStamp>;
inline constexpr std::size_t k_stamps_per_path = 2;
FileStamps read_stamps(const std::vector<std::string>& paths);

enum class DiskChange : std::uint8_t { none, changed, gone };

/// Compares what is on the disk now with what was opened.
class ChangeDetector {
public:
    using Seen = FileStamps;
    explicit ChangeDetector(FileStamps opened) : accepted_(std::move(opened)), last_(accepted_) {}

    /// A file that is still being written is no change yet: only what two looks saw alike is one.
    void look(FileStamps now);
    /// What was seen last is what is open, or as good as that to the user.
    void accept();
    DiskChange change() const { return change_; }

private:
    FileStamps accepted_;
    FileStamps last_;
    DiskChange change_ = DiskChange::none;
};

}  // namespace snapviewer
