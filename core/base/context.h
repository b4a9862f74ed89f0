#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/budget.h"
#include "core/base/result.h"
#include "core/system/threads.h"

namespace snapviewer {

/// An approximate curve of total memory, to be drawn while a file is being read. One worker thread adds to it; any number of
/// threads may read it. When it is full, each two adjacent samples are merged. A sample is the maximum total of its events,
/// so peaks are preserved. Totals count from the first event, so they may be negative.
class TotalsPreview {
public:
    static constexpr std::size_t k_max_samples = 2048;

    /// Adds the change in bytes that the next event makes. For the worker thread. Takes the lock once per sample.
    void add(std::int64_t change_bytes);

    /// Returns the total bytes at equal distances in events, fewer than k_max_samples. Thread-safe.
    std::vector<std::int64_t> samples() const;

private:
    void publish(std::int64_t sample);

    std::int64_t total_bytes_ = 0;
    std::int64_t highest_bytes_ = 0;  ///< maximum total of the current, incomplete sample
    std::uint64_t pending_events_ = 0;
    std::uint64_t events_per_sample_ = 1;

    mutable std::mutex mutex_;  ///< guards the members below
    std::size_t count_ = 0;
    std::array<std::int64_t, k_max_samples> samples_{};
};

/// How often a blocked thread checks for a stop request.
inline constexpr std::chrono::milliseconds k_stop_poll_interval{50};

enum class Stage : std::uint8_t { waiting, reading, timeline, mesh, database, done };

/// Text for a progress bar: "reading the file".
const char* stage_text(Stage stage);

/// Reports the progress of a worker to any number of threads, and passes their stop request to the worker. Thread-safe.
class Progress {
public:
    void enter(Stage stage) {
        fraction_.store(0.0F, std::memory_order_relaxed);
        done_.store(0, std::memory_order_relaxed);
        stage_.store(stage, std::memory_order_relaxed);
    }
    /// Reports that `done` of `total` is finished, in any unit; `total` is 0 if it is unknown.
    void update(std::uint64_t done, std::uint64_t total) {
        done_.store(done, std::memory_order_relaxed);
        fraction_.store(total == 0 ? 0.0F : static_cast<float>(done) / static_cast<float>(total), std::memory_order_relaxed);
    }
    Stage stage() const { return stage_.load(std::memory_order_relaxed); }
    float fraction() const { return fraction_.load(std::memory_order_relaxed); }
    std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }

    /// Adds bytes received over the network, counted as transferred (compressed).
    void add_wire_bytes(std::uint64_t bytes) { wire_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
    std::uint64_t wire_bytes() const { return wire_bytes_.load(std::memory_order_relaxed); }

    /// Memory totals of the events read so far; empty for files without events.
    TotalsPreview& totals() { return totals_; }
    const TotalsPreview& totals() const { return totals_; }

    /// The limits on the cost of the job.
    Budget& budget() { return budget_; }

    void request_stop() { stop_.store(true, std::memory_order_relaxed); }
    /// Sets an additional stop condition, which is called on the threads that do the work. Call it before they begin.
    void set_stop_condition(std::function<bool()> is_over) { stop_condition_ = std::move(is_over); }
    /// True if the work must stop. Workers call this at least every few milliseconds; if the program has no threads, it also
    /// yields to the browser.
    bool stop_requested() const {
        if (yield_to_browser != nullptr) yield_to_page();
        return stop_.load(std::memory_order_relaxed) || (stop_condition_ && stop_condition_());
    }

private:
    /// Calls yield_to_browser() with an empty context, because the page must not run under the budget and the stop requests
    /// of this work.
    static void yield_to_page();

    std::atomic<Stage> stage_{Stage::waiting};
    std::atomic<float> fraction_{0.0F};
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::uint64_t> wire_bytes_{0};
    std::atomic<bool> stop_{false};
    std::function<bool()> stop_condition_;
    TotalsPreview totals_;
    Budget budget_;
};

/// True if `progress` is not null and requests a stop.
inline bool must_stop(const Progress* progress) { return progress != nullptr && progress->stop_requested(); }

// Explains how work inside core is stopped and how it reports errors. Readers and analyses throw a Failure, at any depth.
// The entry points (documents, the C interface, the app, every thread and every callback of a C library) turn it into a
// Result with caught(). What can stop the work is not passed from function to function; it is in the Context of the thread.

/// The exception that core throws. It never leaves core.
struct Failure {
    Error error;
    /// True if the input ends or is damaged at this place. Everything before it is valid and may be worth showing.
    bool is_cut = false;
    /// True if the input is damaged and the message says what is wrong with its bytes; implies is_cut.
    bool is_damage = false;

    /// The message for the user: "is cut short at byte 7", "is damaged: it is not valid JSON at byte 7".
    std::string text() const { return (is_damage ? "is damaged: it " : "") + error.text(); }
};

/// The progress and the budget under which a thread works.
struct Context {
    /// Source of stop requests and receiver of progress reports; null if nothing can stop the work.
    Progress* progress = nullptr;
    /// Charged for the memory and the processor time of the thread; null if neither is limited.
    Budget* budget = nullptr;

    Context() = default;
    explicit Context(Progress& both) : progress(&both), budget(&both.budget()) {}
    Context(Progress* stopped_by, Budget* charged) : progress(stopped_by), budget(charged) {}

    /// The context of the calling thread.
    static const Context& current();
};

/// RAII: sets the context of the calling thread and restores the previous one in the destructor.
class ContextScope {
public:
    explicit ContextScope(const Context& context);
    ~ContextScope();
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

private:
    Context previous_;
};

/// The budget of the calling thread. Precondition: its context has one, as it always has while a file is loaded.
Budget& budget_of_thread();

/// Charges text that an answer writes to the budget of the calling thread, if it has one. Throws `unsupported` if the total
/// exceeds the limit; the message then ends with `advice`, which says what the user can do.
void charge_written(std::uint64_t bytes, std::string_view advice);

/// True if the calling thread must stop: a stop was requested, or its budget has no time left. For callbacks of C libraries,
/// which must not throw. Takes some 20 ns.
bool must_stop();

/// The error for a thread that must stop: `cancelled`, or `unsupported` if its budget has no time left.
Error stop_error();

/// Throws stop_error() if the calling thread must stop. Call it at least every few milliseconds.
void check_stop();

/// Calls check_stop() once in 65,536 calls, for loops and sorts whose single steps are much cheaper than a check. Let the
/// comparison of a sort capture this object by reference, because the sort copies its comparison. For use by one thread.
class OccasionalStopCheck {
public:
    void operator()() {
        if (++calls_ % 65'536 == 0) check_stop();
    }

private:
    std::uint32_t calls_ = 0;
};

/// Reports the progress of the calling thread: the stage that it enters, or that `done` of `total` is finished, in any unit.
/// `total` is 0 if it is unknown. A no-op if the context has no progress.
void report_stage(Stage stage);
void report_done(std::uint64_t done, std::uint64_t total);

/// Throws the error of `status`, if it is one.
inline void throw_if_error(const Status& status) {
    if (!status) throw Failure{status.error()};
}

/// Returns the value of `result`, or throws its error.
template <typename T>
T value_or_throw(Result<T> result) {
    if (!result) throw Failure{result.error()};
    return std::move(*result);
}

/// The error for a failed allocation: `unsupported` if the memory account of the thread has reached its limit, else
/// `memory`.
Error memory_error(const std::bad_alloc& thrown);

/// Converts the exception that is being handled to an error. Returns stop_error() if the work must stop; otherwise the error
/// of a Failure, memory_error(), or `environment` if no thread could be started. Rethrows all other exceptions.
Error error_being_handled();

/// Runs `work` and returns its value as a Result, or a Status if it returns nothing. Returns error_being_handled() if `work`
/// throws.
template <typename Work>
auto caught(Work work) {
    using Value = decltype(work());
    using Returned = std::conditional_t<std::is_void_v<Value>, Status, Result<Value>>;
    try {
        if constexpr (std::is_void_v<Value>) {
            work();
            return Returned();
        } else {
            return Returned(work());
        }
    } catch (...) {
        return Returned(error_being_handled());
    }
}

/// Runs `work` as caught(work) does, but in a context in which `progress` can stop it and its budget is charged. Keeps the
/// context of the thread if `progress` is null or already in that context.
template <typename Work>
auto caught(Progress* progress, Work work) {
    const Context& current = Context::current();
    const bool is_new = progress != nullptr && progress != current.progress;
    const ContextScope scope(is_new ? Context(*progress) : current);
    return caught(std::move(work));
}

}  // namespace snapviewer
