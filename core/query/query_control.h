#pragma once

#include <atomic>
#include <chrono>

namespace snapviewer {

/// When a running query has to end: asked to from any thread, or out of time.
class QueryControl {
public:
    void start(double max_seconds) {
        using Clock = std::chrono::steady_clock;
        stopped_.store(false, std::memory_order_relaxed);
        expired_ = false;
        deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(max_seconds));
    }
    void stop() { stopped_.store(true, std::memory_order_relaxed); }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    /// Looks at the clock: some 30 ns.
    bool must_end() {
        expired_ = expired_ || std::chrono::steady_clock::now() >= deadline_;
        return expired_ || stopped();
    }

private:
    std::atomic<bool> stopped_{false};
    bool expired_ = false;
    std::chrono::steady_clock::time_point deadline_;
};

}  // namespace snapviewer
