#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
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
/// nothing; its thread is left to itself then. All members are for the main thread.
class FileWatch {
public:
    using Look = std::function<FileStamps(const std::vector<std::string>&)>;

    explicit FileWatch(Look look = read_stamps) : look_(std::move(look)) {}
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
    /// Shared with the thread, which may outlive this.
    struct Watched {
        explicit Watched(FileStamps opened) : detector(std::move(opened)) {}
        std::mutex mutex;
        std::condition_variable wake;
        ChangeDetector detector;
        bool is_over = false;
    };
    static void watch(const std::shared_ptr<Watched>& watched, const Look& look, const std::vector<std::string>& paths);

    Look look_;
    std::shared_ptr<Watched> watched_;  ///< null while nothing is watched; what is in it is guarded by its mutex
};

}  // namespace snapviewer
