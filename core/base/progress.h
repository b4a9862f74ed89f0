#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "core/base/budget.h"
#include "core/base/totals_preview.h"
#include "core/system/threads.h"

namespace snapviewer {

class Observer;

/// How often a blocked thread checks for a stop request.
inline constexpr std::chrono::milliseconds k_look_for_stop{50};

enum class Stage : std::uint8_t { waiting, reading, timeline, mesh, database, done };

/// Text for a progress bar: "reading the file".
const char* stage_text(Stage stage);

/// Reports the progress of a worker to other threads, and passes their stop request to the worker. Shared between one worker
/// and any number of reading threads. Thread-safe.
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

    /// Sets the receiver of partial results; null for none. Called by the worker before it starts.
    void let_look(std::shared_ptr<Observer> observer) { observer_ = std::move(observer); }
    Observer* observer() const { return observer_.get(); }

    /// The limits on the cost of the job.
    Budget& budget() { return budget_; }

    void request_stop() { stop_.store(true, std::memory_order_relaxed); }
    /// Sets an additional stop condition; call it before the work begins. `is_over` is called on the threads that do the
    /// work.
    void stop_when(std::function<bool()> is_over) { is_over_ = std::move(is_over); }
    /// True if the work must stop. Workers call this at least every few milliseconds; if the program has no threads, it also
    /// yields to the browser.
    bool stop_requested() const {
        if (give_way != nullptr) yield_to_page();
        return stop_.load(std::memory_order_relaxed) || (is_over_ && is_over_());
    }

private:
    /// Calls give_way() with an empty context, because the page must not run under the budget and the stop requests of this
    /// work.
    static void yield_to_page();

    std::atomic<Stage> stage_{Stage::waiting};
    std::atomic<float> fraction_{0.0F};
    std::atomic<std::uint64_t> done_{0};
    std::atomic<std::uint64_t> wire_bytes_{0};
    std::atomic<bool> stop_{false};
    std::function<bool()> is_over_;
    TotalsPreview totals_;
    std::shared_ptr<Observer> observer_;
    Budget budget_;
};

/// True if `progress` is not null and requests a stop.
inline bool must_stop(const Progress* progress) { return progress != nullptr && progress->stop_requested(); }

}  // namespace snapviewer
