#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace snapviewer {

/// The attributes that show whether a file has changed. A file that is missing or inaccessible has a default stamp.
struct FileStamp {
    bool exists = false;
    std::uintmax_t size_bytes = 0;
    std::filesystem::file_time_type modified;
    bool operator==(const FileStamp&) const = default;
};

/// Stamps of several paths: for each path, the stamp of the file and of its SQLite write-ahead log.
using FileStamps = std::vector<FileStamp>;
inline constexpr std::size_t k_stamps_per_path = 2;
FileStamps read_stamps(const std::vector<std::string>& paths);

enum class DiskChange : std::uint8_t { none, changed, gone };

/// Compares the state on the disk with the state when the files were opened.
class ChangeDetector {
public:
    using Seen = FileStamps;
    explicit ChangeDetector(FileStamps opened) : accepted_(std::move(opened)), last_(accepted_) {}

    /// Reports the current stamps of the files. A change counts only after two calls with the same stamps, so that a file
    /// that is still being written does not count yet.
    void look(FileStamps now);
    /// Accepts the last reported stamps as unchanged, for example after a reload.
    void accept();
    DiskChange change() const { return change_; }

private:
    FileStamps accepted_;
    FileStamps last_;
    DiskChange change_ = DiskChange::none;
};

}  // namespace snapviewer
