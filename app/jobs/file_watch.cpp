#include "app/jobs/file_watch.h"

#include <chrono>
#include <system_error>
#include <utility>

namespace snapviewer {
namespace {

constexpr auto k_between_looks = std::chrono::seconds(1);

FileStamp read_stamp(const std::filesystem::path& path) {
    std::error_code failed;
    FileStamp stamp;
    stamp.modified = std::filesystem::last_write_time(path, failed);
    if (failed) return {};
    stamp.exists = true;
    stamp.size_bytes = std::filesystem::file_size(path, failed);
    if (failed) stamp.size_bytes = 0;  // a folder
    return stamp;
}

}  // namespace

FileStamps read_stamps(const std::vector<std::string>& paths) {
    FileStamps stamps;
    for (const std::string& path : paths) {
        stamps.push_back(read_stamp(path));
        const FileStamp journal = read_stamp(path + "-wal");
        stamps.push_back(journal.size_bytes > 0 ? journal : FileStamp{});  // an empty one says nothing
    }
    return stamps;
}

void ChangeDetector::look(FileStamps now) {
    if (!now.empty() && !now.front().exists) {
        change_ = DiskChange::gone;
    } else if (now == accepted_) {
        change_ = DiskChange::none;
    } else if (now == last_) {
        change_ = DiskChange::changed;
    } else if (change_ == DiskChange::gone) {
        change_ = DiskChange::none;
    }
    last_ = std::move(now);
}

void ChangeDetector::accept() {
    accepted_ = last_;
    if (change_ == DiskChange::changed) change_ = DiskChange::none;
}

void FileWatch::start(std::vector<std::string> paths, FileStamps opened) {
    stop();
    detector_.emplace(std::move(opened));
    thread_ = std::jthread([this, paths = std::move(paths)](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (!wake_.wait_for(lock, stop, k_between_looks, [&] { return stop.stop_requested(); })) {
            lock.unlock();
            FileStamps now = read_stamps(paths);
            lock.lock();
            detector_->look(std::move(now));
        }
    });
}

void FileWatch::stop() {
    thread_ = std::jthread();  // asks it to end, and waits
    detector_.reset();
}

void FileWatch::accept() {
    const std::lock_guard lock(mutex_);
    if (detector_) detector_->accept();
}

DiskChange FileWatch::change() const {
    const std::lock_guard lock(mutex_);
    return detector_ ? detector_->change() : DiskChange::none;
}

}  // namespace snapviewer
