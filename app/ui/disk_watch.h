#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "app/ui/sandboxed.h"
#include "core/system/threads.h"

namespace snapviewer {

/// Compares the current contents of a folder with the contents that were read; a detector for DiskWatch. `Stamp` holds the
/// observed properties of a file, such as size and time; two equal stamps mean an unchanged file.
template <typename Stamp>
class FolderChanges {
public:
    /// Stamps by path.
    using Seen = std::map<std::string, Stamp>;
    explicit FolderChanges(Seen read) : read_(std::move(read)), last_(read_) {}

    /// Records a check. A file counts as changed only if two consecutive checks found the same stamp, so that files still
    /// being written are not reported.
    void look(Seen now) {
        const auto is_news_at = [&](const auto& entry) { return is_news(now, entry.first); };
        has_news_ = std::ranges::any_of(now, is_news_at) || std::ranges::any_of(read_, is_news_at);
        last_ = std::move(now);
    }
    bool has_news() const { return has_news_; }

private:
    bool is_news(const Seen& now, const std::string& path) const {
        const Stamp* here = stamp_at(now, path);
        return are_alike(here, stamp_at(last_, path)) && !are_alike(here, stamp_at(read_, path));
    }

    static const Stamp* stamp_at(const Seen& seen, const std::string& path) {
        const auto found = seen.find(path);
        return found == seen.end() ? nullptr : &found->second;
    }

    static bool are_alike(const Stamp* a, const Stamp* b) {
        return (a == nullptr) == (b == nullptr) && (a == nullptr || *a == *b);
    }

    Seen read_;
    Seen last_;
    bool has_news_ = false;
};

/// Minimum interval between two checks of a DiskWatch.
inline constexpr std::chrono::seconds k_between_disk_looks{1};

/// Polls the disk about once a second on its own thread, so that a frame never waits for the disk. The interval grows if a
/// check is slow, and a thread whose check hangs is abandoned. Each result is passed to `Detector::look(Seen)`, which
/// compares it with what was read before. Call all members on the main thread.
///
///     DiskWatch<ChangeDetector> watch;
///     watch.start(ChangeDetector(opened), [paths] { return read_stamps(paths); });
///     DiskChange change = watch.ask(&ChangeDetector::change);
template <typename Detector>
class DiskWatch {
public:
    using Look = std::function<typename Detector::Seen()>;

    DiskWatch() = default;
    ~DiskWatch() { stop(); }
    DiskWatch(const DiskWatch&) = delete;
    DiskWatch& operator=(const DiskWatch&) = delete;

    /// Replaces the previous watch. Two checks are at least `least` apart. No-op in a program without threads, such as the
    /// web page, because its files are copies that cannot change.
    void start(Detector detector, Look look, std::chrono::seconds least = k_between_disk_looks) {
        stop();
        if (!has_threads()) return;
        watched_ = std::make_shared<Watched>(std::move(detector));
        std::thread([watched = watched_, look = std::move(look), least] { watch(*watched, look, least); }).detach();
    }

    /// Stops watching without waiting for the thread.
    void stop() {
        if (!watched_) return;
        {
            const std::lock_guard lock(watched_->mutex);
            watched_->is_over = true;
            watched_->wake.notify_all();
        }
        watched_.reset();
    }

    /// Calls a const member of the detector under its mutex; returns a default value if nothing is watched.
    template <typename Answer>
    Answer ask(Answer (Detector::*member)() const) const {
        if (!watched_) return {};
        const std::lock_guard lock(watched_->mutex);
        return (watched_->detector.*member)();
    }

    void tell(void (Detector::*member)()) {
        if (!watched_) return;
        const std::lock_guard lock(watched_->mutex);
        (watched_->detector.*member)();
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr int k_pause_a_look = 20;  ///< The pause is at least this many times the duration of the last check

    /// State shared with the thread, which may outlive the DiskWatch.
    struct Watched {
        explicit Watched(Detector of_what_was_read) : detector(std::move(of_what_was_read)) {}
        std::mutex mutex;
        std::condition_variable wake;
        Detector detector;
        bool is_over = false;
    };

    static void watch(Watched& watched, const Look& look, Clock::duration least) {
        enter_sandbox_here({});
        Clock::duration pause = least;
        std::unique_lock lock(watched.mutex);
        while (!watched.wake.wait_for(lock, pause, [&] { return watched.is_over; })) {
            lock.unlock();
            const auto began = Clock::now();
            auto seen = look();
            pause = std::max(least, k_pause_a_look * (Clock::now() - began));
            lock.lock();
            watched.detector.look(std::move(seen));
        }
    }

    std::shared_ptr<Watched> watched_;  ///< Null while nothing is watched; the mutex inside guards the other members
};

}  // namespace snapviewer
