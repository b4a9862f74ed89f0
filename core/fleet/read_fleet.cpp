#include "core/fleet/read_fleet.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/system/memory.h"

namespace snapviewer {
namespace {

/// Memory that a file is likely to need, in bytes a byte: real ones take about one, packed ones hold up to 35 times their
/// size.
constexpr std::uint64_t k_need_ratio = 3;
constexpr std::uint64_t k_packed_need_ratio = 60;
/// How many files a worker may be ahead of the oldest one that is not done: their summaries wait for it.
constexpr std::size_t k_ahead_a_worker = 16;
constexpr auto k_between_stop_checks = std::chrono::milliseconds(20);

/// The workers, and what they have done so far.
class FleetReader {
public:
    FleetReader(std::span<const FleetFile> files, const SummaryOptions& options, std::size_t workers)
        : files_(files),
          options_(options),
          workers_(std::min(workers, files.size())),
          room_bytes_(available_memory_bytes() / 4 * 3) {}

    Status run(Progress& progress, const TakeSummary& take) {
        std::vector<std::jthread> threads;
        Status status;
        try {
            while (threads.size() < workers_) threads.emplace_back([this] { work(); });
        } catch (const std::system_error& refused) {
            if (threads.empty())
                status =
                    Error{ErrorCode::environment, std::string("the system could not start a thread: ") + refused.what()};
        }
        if (status) status = hand_over(progress, take);
        stop();
        return status;
    }

private:
    Status hand_over(const Progress& progress, const TakeSummary& take) {
        for (std::size_t i = 0; i < files_.size(); ++i) {
            std::optional<FileSummary> summary = wait_for(i, progress);
            if (!summary) return stopped();
            if (const Status taken = take(i, *std::move(summary)); !taken) return taken;
        }
        return {};
    }

    std::optional<FileSummary> wait_for(std::size_t file, const Progress& progress) {
        std::unique_lock lock(mutex_);
        while (!done_.contains(file)) {
            if (progress.stop_requested()) return std::nullopt;
            changed_.wait_for(lock, k_between_stop_checks);
        }
        FileSummary summary = std::move(done_.extract(file).mapped());
        ++taken_;
        changed_.notify_all();
        return summary;
    }

    void work() {
        Progress* progress = nullptr;
        while (const std::optional<std::size_t> file = begin_next(progress)) {
            Result<FileSummary> summary = summarise_file(files_[*file], options_, *progress);
            const std::lock_guard lock(mutex_);
            need_bytes_ -= likely_need_bytes(files_[*file]);
            in_work_.erase(*file);
            if (summary) done_.emplace(*file, *std::move(summary));
            changed_.notify_all();
        }
    }

    /// Waits until the next file may begin; none when all have, or when stopped.
    std::optional<std::size_t> begin_next(Progress*& progress) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return is_stopped_ || next_ >= files_.size() || may_begin(); });
        if (is_stopped_ || next_ >= files_.size()) return std::nullopt;
        need_bytes_ += likely_need_bytes(files_[next_]);
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
        return in_work_.empty() || need_bytes_ + likely_need_bytes(files_[next_]) <= room_bytes_;
    }

    std::span<const FleetFile> files_;
    const SummaryOptions& options_;
    std::size_t workers_;
    std::uint64_t room_bytes_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_stopped_ = false;
    std::size_t next_ = 0;                     ///< the first file that has not begun
    std::size_t taken_ = 0;                    ///< how many were handed over
    std::uint64_t need_bytes_ = 0;             ///< of those in work
    std::map<std::size_t, Progress> in_work_;  ///< by file: what each may cost is its own
    std::map<std::size_t, FileSummary> done_;  ///< by file, those not handed over yet
};

}  // namespace

std::uint64_t likely_need_bytes(const FleetFile& file) {
    const auto ends = [&](std::string_view ending) { return file.path.ends_with(ending); };
    const bool is_packed = ends(".gz") || ends(".xz") || ends(".bz2") || ends(".lzma") || ends(".zst") || ends(".zip");
    return file.file_bytes * (is_packed ? k_packed_need_ratio : k_need_ratio);
}

Status read_fleet(std::span<const FleetFile> files, const SummaryOptions& options, Progress& progress,
                  const TakeSummary& take) {
    progress.enter(Stage::reading);
    std::size_t taken = 0;
    const auto take_counted = [&](std::size_t file, FileSummary summary) {
        const Status status = take(file, std::move(summary));
        progress.update(++taken, files.size());
        return status;
    };
    std::vector<std::size_t> refused;  // places among the files
    std::vector<FleetFile> once_more;
    const std::size_t workers = std::max(1U, std::thread::hardware_concurrency());
    const Status read = FleetReader(files, options, workers).run(progress, [&](std::size_t file, FileSummary summary) {
        if (!summary.lacked_memory) return take_counted(file, std::move(summary));
        refused.push_back(file);
        once_more.push_back(files[file]);
        return Status();
    });
    if (!read) return read;
    return FleetReader(once_more, options, 1).run(progress, [&](std::size_t file, FileSummary summary) {
        return take_counted(refused[file], std::move(summary));
    });
}

}  // namespace snapviewer
