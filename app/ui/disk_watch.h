#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "app/ui/sandboxed.h"
#include "core/system/threads.h"

namespace snapviewer {

/// How long a DiskWatch waits between looks, at least.
inline constexpr std::chrono::seconds k_between_disk_looks{1};

/// Looks at the disk about once a second on a thread of its own, less often where a look takes long: a frame costs nothing,
/// and a disk that hangs stops nothing; its thread is left to itself then. What was seen goes to `Detector`, which compares
/// it with what was read: `Seen` is its type for that, look(Seen) takes it. All members are for the main thread.
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

    /// Ends what was watched before. Looks are `least` apart, or further. A program without threads watches nothing: its
    /// files are copies in a page.
    void start(Detector detector, Look look, std::chrono::seconds least = k_between_disk_looks) {
        stop();
        if (!has_threads()) return;
        watched_ = std::make_shared<Watched>(std::move(detector));
        std::thread([watched = watched_, look = std::move(look), least] { watch(*watched, look, least); }).detach();
    }

    /// Waits for nothing.
    void stop() {
        if (!watched_) return;
        {
            const std::lock_guard lock(watched_->mutex);
            watched_->is_over = true;
            watched_->wake.notify_all();
        }
        watched_.reset();
    }

    /// Calls a member of the detector; a value as of new where nothing is watched.
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
    static constexpr int k_pause_a_look = 20;  ///< at least so many times as long as the look took

    /// Shared with the thread, which may outlive this.
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

    std::shared_ptr<Watched> watched_;  ///< null while nothing is watched; what is in it is guarded by its mutex
};

}  // namespace snapviewer
