#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/system/memory.h"

namespace snapviewer {

/// Reads many files at once, a thread a file, and hands over what came of each on the calling thread, in their order. Files
/// begin only while the memory that they are likely to need fits into three quarters of what there is, or alone.
template <typename Outcome>
class InOrderReader {
public:
    /// What the reader is told of the files, which are numbered from 0.
    struct Files {
        std::size_t count = 0;
        std::function<std::uint64_t(std::size_t file)> need_bytes;
        /// Called on any thread, in the context of `progress`. What it throws ends the reading.
        std::function<Outcome(std::size_t file, Progress& progress)> read;
    };
    using Take = std::function<void(std::size_t file, Outcome outcome)>;

    InOrderReader(Files files, std::size_t workers)
        : files_(std::move(files)),
          workers_(std::min(workers, files_.count)),
          room_bytes_(available_memory_bytes() / 4 * 3) {}

    /// Throws stopped(), and what `take` throws, which ends the reading.
    void run(const Take& take) {
        std::vector<std::jthread> threads;
        const StopAtEnd stop_at_end{*this};
        try {
            while (threads.size() < workers_) threads.emplace_back([this] { note_end(caught([this] { work(); })); });
        } catch (const std::system_error&) {
            if (threads.empty()) throw;
        }
        for (std::size_t file = 0; file < files_.count; ++file) take(file, wait_for(file));
    }

private:
    /// How many files a worker may be ahead of the oldest one that is not done: their outcomes wait for it.
    static constexpr std::size_t k_ahead_a_worker = 16;
    static constexpr auto k_between_stop_checks = std::chrono::milliseconds(20);

    /// Lets the threads end before they are joined.
    struct StopAtEnd {
        InOrderReader& reader;
        ~StopAtEnd() { reader.stop(); }
    };

    Outcome wait_for(std::size_t file) {
        std::unique_lock lock(mutex_);
        while (!done_.contains(file)) {
            check_stop();
            need_ok(failed_);
            changed_.wait_for(lock, k_between_stop_checks);
        }
        Result<Outcome> outcome = std::move(done_.extract(file).mapped());
        ++taken_;
        changed_.notify_all();
        return value_or_throw(std::move(outcome));
    }

    void work() {
        Progress* progress = nullptr;
        while (const std::optional<std::size_t> file = begin_next(progress)) {
            Result<Outcome> outcome = caught(progress, [&] { return files_.read(*file, *progress); });
            const std::lock_guard lock(mutex_);
            need_bytes_ -= files_.need_bytes(*file);
            in_work_.erase(*file);
            done_.emplace(*file, std::move(outcome));
            changed_.notify_all();
        }
    }

    /// A thread may lack the memory to hand over an outcome.
    void note_end(Status ended) {
        const std::lock_guard lock(mutex_);
        if (!ended) failed_ = std::move(ended);
        changed_.notify_all();
    }

    /// Waits until the next file may begin; none when all have, or when stopped.
    std::optional<std::size_t> begin_next(Progress*& progress) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_stopped_ || next_ >= files_.count || may_begin(); });
        if (is_stopped_ || next_ >= files_.count) return std::nullopt;
        need_bytes_ += files_.need_bytes(next_);
        progress = &in_work_[next_];
        return next_++;
    }

    void stop() {
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
        for (auto& [file, progress] : in_work_) progress.request_stop();
        changed_.notify_all();
    }

    bool may_begin() const {
        if (next_ >= taken_ + k_ahead_a_worker * workers_) return false;
        return in_work_.empty() || need_bytes_ + files_.need_bytes(next_) <= room_bytes_;
    }

    Files files_;
    std::size_t workers_;
    std::uint64_t room_bytes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_stopped_ = false;
    Status failed_;                                ///< the error of a thread that ended early
    std::size_t next_ = 0;                         ///< the first file that has not begun
    std::size_t taken_ = 0;                        ///< how many were handed over
    std::uint64_t need_bytes_ = 0;                 ///< of those in work
    std::map<std::size_t, Progress> in_work_;      ///< by file: what each may cost is its own
    std::map<std::size_t, Result<Outcome>> done_;  ///< by file, those not handed over yet
};

/// How many threads read at once: one for each processor.
inline std::size_t reading_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace snapviewer
