#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/progress.h"
#include "core/base/worker.h"

namespace snapviewer {

/// One piece of work at a time on a thread of its own:
///     job.start([path](Progress& progress) { return read(path, progress); });
///     ...
///     if (std::optional<Outcome> outcome = job.take()) use(*outcome);  // every frame
/// The work says in its Progress how far it is, looks there whether it is to stop, and makes an Outcome in any case. All
/// members are for the thread that owns the job, and none but the destructor waits.
template <typename Outcome>
class Job {
public:
    using Work = std::function<Outcome(Progress&)>;

    /// `wake` is called on the worker whenever work has ended: it may rouse an owner that sleeps.
    explicit Job(std::function<void()> wake = {}) : wake_(std::move(wake)) {}
    /// Stops what runs and waits for it.
    ~Job() { discard(); }
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    /// Begins at once. Work that still runs is asked to stop and its outcome dropped; the new one then begins with the first
    /// take() after it has ended, and of several that wait only the last one does.
    void start(Work work) {
        discard();
        if (run_)
            next_ = std::move(work);
        else
            begin(std::move(work));
    }
    /// Asks what runs to stop; take() still gives what it makes of that. What waits is forgotten.
    void stop() {
        next_ = nullptr;
        if (run_) run_->progress.request_stop();
    }
    /// The same, and the outcome is dropped.
    void discard() {
        stop();
        if (run_) run_->is_wanted = false;
    }
    /// Whether take() is going to give an outcome.
    bool is_busy() const { return next_ != nullptr || (run_ && run_->is_wanted); }
    /// Whether take() gives an outcome now.
    bool is_ready() const { return is_busy() && next_ == nullptr && run_->is_done.load(std::memory_order_acquire); }
    /// What became of the work started last, once. Work that throws has its error as its outcome, if that is a Result;
    /// otherwise take() throws what the work threw.
    std::optional<Outcome> take() {
        if (!run_ || !run_->is_done.load(std::memory_order_acquire)) return std::nullopt;
        run_->worker.join();
        const std::shared_ptr<Run> ended = std::move(run_);
        if (next_) begin(std::exchange(next_, nullptr));
        if (!ended->is_wanted) return std::nullopt;
        if (ended->thrown) return outcome_of(ended->thrown);
        return std::move(ended->outcome);
    }

    /// Of what runs; only while is_busy().
    const Progress& progress() const { return run_->progress; }
    /// Since what runs began; 0 when nothing does.
    double elapsed_ms() const {
        if (!run_) return 0;
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - run_->began).count();
    }

private:
    struct Run {
        std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
        bool is_wanted = true;
        Progress progress;
        std::optional<Outcome> outcome;  ///< the worker's until `is_done`
        std::exception_ptr thrown;       ///< instead of an outcome
        std::atomic<bool> is_done{false};
        Worker worker;  ///< its thread is joined before the rest goes
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
        // A thread is waited for, so that only work without one has to keep what it uses.
        std::shared_ptr<Run> kept = has_threads() ? nullptr : run_;
        run_->worker = Worker([run = run_.get(), kept = std::move(kept), wake = wake_, work = std::move(work)] {
            try {
                const ContextScope scope{Context(run->progress)};
                run->outcome.emplace(work(run->progress));
            } catch (...) {
                run->thrown = std::current_exception();
            }
            run->is_done.store(true, std::memory_order_release);
            if (wake) wake();
        });
    }

    std::function<void()> wake_;
    Work next_;
    std::shared_ptr<Run> run_;
};

}  // namespace snapviewer
