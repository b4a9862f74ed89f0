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
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/system/memory.h"

namespace snapviewer::fleet {

/// Reads many files in parallel, one per thread, and passes the results on the calling thread in the order of the files. A
/// file is started only while the estimated memory of the files being read fits into three quarters of the available memory,
/// or if no other file is being read. All files being read share one memory budget; a file that lacked memory is read a
/// second time, alone.
template <typename Outcome>
class InOrderReader {
public:
    /// Callbacks of the reader. Files are numbered from 0.
    struct Files {
        std::size_t count = 0;
        std::function<std::uint64_t(std::size_t file)> estimated_bytes;
        /// Reads one file. Called on a worker thread, in the context of `progress`. An exception ends the whole reading.
        std::function<Outcome(std::size_t file, Progress& progress)> read;
    };
    using Take = std::function<void(std::size_t file, Outcome outcome)>;

    InOrderReader(Files files, std::size_t workers)
        : files_(std::move(files)),
          workers_(std::min(workers, files_.count)),
          room_bytes_(available_memory_bytes() / 4 * 3) {}

    /// Reads a file a second time, alone, if `lacked_memory` is true for its outcome. Call it before run().
    void retry_alone_if(std::function<bool(const Outcome& outcome)> lacked_memory) {
        lacked_memory_ = std::move(lacked_memory);
    }

    /// Throws stopped(), and any exception of `take` or `read`; each ends the reading.
    void run(const Take& take) {
        std::vector<std::jthread> threads;
        const StopAtEnd stop_at_end{*this};
        try {
            while (threads.size() < workers_) threads.emplace_back([this] { record_end(caught([this] { work(); })); });
        } catch (const std::system_error&) {
            if (threads.empty()) throw;
        }
        for (std::size_t file = 0; file < files_.count; ++file) take(file, wait_for(file));
    }

private:
    /// Maximum number of files per worker that may be started ahead of the oldest unfinished file, because their results
    /// wait for it in memory.
    static constexpr std::size_t k_max_ahead_per_worker = 16;
    static constexpr auto k_between_stop_checks = std::chrono::milliseconds(20);

    /// Asks the threads to end before they are joined.
    struct StopAtEnd {
        InOrderReader& reader;
        ~StopAtEnd() { reader.stop(); }
    };

    Outcome wait_for(std::size_t file) {
        std::unique_lock lock(mutex_);
        while (!done_.contains(file)) {
            check_stop();
            throw_if_error(failed_);
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
            estimated_bytes_ -= files_.estimated_bytes(*file);
            in_work_.erase(*file);
            const bool is_first_try = retrying_ != file;
            if (!is_first_try) retrying_.reset();
            if (is_first_try && outcome && lacked_memory_ && lacked_memory_(*outcome))
                retries_.push_back(*file);
            else
                done_.emplace(*file, std::move(outcome));
            changed_.notify_all();
        }
    }

    /// Called when a thread ends. Records its error, such as lack of memory for passing on a result.
    void record_end(Status ended) {
        const std::lock_guard lock(mutex_);
        if (!ended) failed_ = std::move(ended);
        changed_.notify_all();
    }

    /// Waits until the next file may be started. nullopt if all files were read, or when stopped.
    std::optional<std::size_t> begin_next(Progress*& progress) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_stopped_ || is_all_read() || may_begin(); });
        if (is_stopped_ || is_all_read()) return std::nullopt;
        std::size_t file = next_;
        if (retries_.empty()) {
            ++next_;
        } else {
            file = retries_.back();
            retries_.pop_back();
            retrying_ = file;
        }
        estimated_bytes_ += files_.estimated_bytes(file);
        progress = &in_work_[file];
        progress->budget().join(together_);
        return file;
    }

    bool is_all_read() const { return next_ >= files_.count && retries_.empty() && in_work_.empty(); }

    void stop() {
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
        for (auto& [file, progress] : in_work_) progress.request_stop();
        changed_.notify_all();
    }

    bool may_begin() const {
        if (retrying_) return false;
        if (!retries_.empty()) return in_work_.empty();
        if (next_ >= files_.count || next_ >= taken_ + k_max_ahead_per_worker * workers_) return false;
        return in_work_.empty() || estimated_bytes_ + files_.estimated_bytes(next_) <= room_bytes_;
    }

    Files files_;
    std::function<bool(const Outcome& outcome)> lacked_memory_;
    std::size_t workers_;
    std::uint64_t room_bytes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_stopped_ = false;
    Status failed_;                      ///< The error of a thread that ended early.
    std::size_t next_ = 0;               ///< number of the first file that was not started yet
    std::size_t taken_ = 0;              ///< number of results passed on
    std::uint64_t estimated_bytes_ = 0;  ///< sum of the estimates of the files being read
    Budget together_;                    ///< group of the budgets of the files being read
    /// The progress of each file being read, by file; each has a work budget of its own.
    std::map<std::size_t, Progress> in_work_;
    std::vector<std::size_t> retries_;             ///< files that lacked memory, to be read alone
    std::optional<std::size_t> retrying_;          ///< file that is being read a second time
    std::map<std::size_t, Result<Outcome>> done_;  ///< The results not passed on yet, by file.
};

/// Number of threads that read in parallel: one per processor.
inline std::size_t reading_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace snapviewer::fleet
