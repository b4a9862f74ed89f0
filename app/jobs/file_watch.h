#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
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

/// Looks at the open file once a second, on a thread of its own: a frame costs nothing, and a network that hangs stops
/// nothing. All members are for the main thread.
class FileWatch {
public:
    FileWatch() = default;
    ~FileWatch() { stop(); }
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;

    /// `opened` is what read_stamps() gave for the paths before they were opened.
    void start(std::vector<std::string> paths, FileStamps opened);
    void stop();
    /// No word about what changed so far.
    void accept();
    DiskChange change() const;

private:
    mutable std::mutex mutex_;
    std::condition_variable_any wake_;
    std::optional<ChangeDetector> detector_;  ///< guarded by mutex_
    std::jthread thread_;
};

}  // namespace snapviewer
