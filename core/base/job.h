#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "core/base/context.h"
#include "core/system/threads.h"

namespace snapviewer {

/// Starts work whose result the caller needs later, on another thread. If the program has no threads, the work runs when its
/// result is requested. Keeps the context of the calling thread. Returns a std::future.
template <typename Work>
auto start_async(Work work) {
    return std::async(has_threads() ? std::launch::async : std::launch::deferred,
                      [context = Context::current(), work = std::move(work)]() mutable {
                          const ContextScope scope(context);
                          return work();
                      });
}

/// Runs one piece of work at a time on a thread of its own, or on the main thread between frames if the program has no
/// threads:
///     job.start([path](Progress& progress) { return read(path, progress); });
///     ...
///     if (std::optional<Outcome> outcome = job.take()) use(*outcome);  // every frame
/// The work reports its progress to its Progress, checks it for stop requests, and always returns an Outcome, even when it
/// was stopped. All members are for the thread that owns the job; only the destructor waits.
template <typename Outcome>
class Job {
public:
    using Work = std::function<Outcome(Progress&)>;

    /// `wake` is called on the worker thread whenever work has ended, for example to wake up an owner that sleeps.
    explicit Job(std::function<void()> wake = {}) : wake_(std::move(wake)) {}
    /// Stops the running work and waits for it.
    ~Job() { discard(); }
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    /// Starts `work` at once if the job is idle. Otherwise asks the running work to stop and drops its outcome; the new work
    /// starts in the first take() after the old one has ended. At most one piece of work waits: a later call replaces it.
    void start(Work work) {
        discard();
        if (run_)
            next_ = std::move(work);
        else
            begin(std::move(work));
    }
    /// Asks the running work to stop; take() still returns its outcome. Drops work that waits to start.
    void stop() {
        next_ = nullptr;
        if (run_) run_->progress.request_stop();
    }
    /// Asks the running work to stop and drops its outcome. Drops work that waits to start.
    void discard() {
        stop();
        if (run_) run_->is_wanted = false;
    }
    /// True if take() will return an outcome later or now.
    bool is_busy() const { return next_ != nullptr || (run_ && run_->is_wanted); }
    /// True if the next take() returns an outcome.
    bool is_ready() const { return is_busy() && next_ == nullptr && run_->is_done.load(std::memory_order_acquire); }
    /// Returns the outcome of the work that was started last, once; nullopt while it runs. If the work threw, the outcome is
    /// its error if Outcome is a Result; otherwise take() rethrows the exception.
    std::optional<Outcome> take() {
        if (!run_ || !run_->is_done.load(std::memory_order_acquire)) return std::nullopt;
        if (run_->thread.joinable()) run_->thread.join();
        const std::shared_ptr<Run> ended = std::move(run_);
        if (next_) begin(std::exchange(next_, nullptr));
        if (!ended->is_wanted) return std::nullopt;
        if (ended->thrown) return outcome_of(ended->thrown);
        return std::move(ended->outcome);
    }

    /// Progress of the running work. Precondition: is_busy().
    const Progress& progress() const { return run_->progress; }
    /// Time in ms since the running work started; 0 if no work is running.
    double elapsed_ms() const {
        if (!run_) return 0;
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - run_->began).count();
    }

private:
    struct Run {
        std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
        bool is_wanted = true;
        Progress progress;
        std::optional<Outcome> outcome;  ///< owned by the worker until `is_done`
        std::exception_ptr thrown;       ///< exception that the work threw instead of returning an outcome
        std::atomic<bool> is_done{false};
        std::jthread thread;  ///< last member: destroyed first, which joins the thread
    };

    static Outcome outcome_of(const std::exception_ptr& thrown) {
        const auto rethrow = [&]() -> Outcome { std::rethrow_exception(thrown); };
        if constexpr (std::is_constructible_v<Outcome, Error>) {
            const auto result = caught(rethrow);
            return result.error();
        } else {
            return rethrow();
        }
    }

    void begin(Work work) {
        run_ = std::make_shared<Run>();
        // The owner waits for a thread, so the Run needs to keep itself alive only if the program has no threads.
        std::shared_ptr<Run> kept = has_threads() ? nullptr : run_;
        auto run_work = [run = run_.get(), kept = std::move(kept), wake = wake_, work = std::move(work)] {
            try {
                const ContextScope scope{Context(run->progress)};
                run->outcome.emplace(work(run->progress));
            } catch (...) {
                run->thrown = std::current_exception();
            }
            run->is_done.store(true, std::memory_order_release);
            if (wake) wake();
        };
        if (has_threads())
            run_->thread = std::jthread(std::move(run_work));
        else
            run_on_main_thread(std::move(run_work));
    }

    std::function<void()> wake_;
    Work next_;
    std::shared_ptr<Run> run_;
};

}  // namespace snapviewer
