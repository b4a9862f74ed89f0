#include "app/jobs/file_watch.h"

#include <chrono>
#include <system_error>
#include <thread>
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
    } else if (now == last_ && now != accepted_) {
        change_ = DiskChange::changed;
    } else if (now == accepted_ || change_ == DiskChange::gone) {
        change_ = DiskChange::none;
    }
    last_ = std::move(now);
}

void ChangeDetector::accept() {
    accepted_ = last_;
    if (change_ == DiskChange::changed) change_ = DiskChange::none;
}

void FileWatch::watch(const std::shared_ptr<Watched>& watched, const Look& look, const std::vector<std::string>& paths) {
    std::unique_lock lock(watched->mutex);
    while (!watched->wake.wait_for(lock, k_between_looks, [&] { return watched->is_over; })) {
        lock.unlock();
        FileStamps now = look(paths);
        lock.lock();
        watched->detector.look(std::move(now));
    }
}

void FileWatch::start(std::vector<std::string> paths, FileStamps opened) {
    stop();
    watched_ = std::make_shared<Watched>(std::move(opened));
    std::thread([watched = watched_, look = look_, paths = std::move(paths)] { watch(watched, look, paths); }).detach();
}

void FileWatch::stop() {
    if (!watched_) return;
    {
        const std::lock_guard lock(watched_->mutex);
        watched_->is_over = true;
        watched_->wake.notify_all();
    }
    watched_.reset();
}

void FileWatch::accept() {
    if (!watched_) return;
    const std::lock_guard lock(watched_->mutex);
    watched_->detector.accept();
}

DiskChange FileWatch::change() const {
    if (!watched_) return DiskChange::none;
    const std::lock_guard lock(watched_->mutex);
    return watched_->detector.change();
}

}  // namespace snapviewer
