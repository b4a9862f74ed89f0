#pragma once

#include <chrono>

#include "core/base/progress.h"

namespace snapviewer {

/// When a running query has to end: asked to, or out of time.
class QueryControl {
public:
    /// `progress` may be null; it must live as long as the query.
    void start(double max_seconds, const Progress* progress) {
        using Clock = std::chrono::steady_clock;
        progress_ = progress;
        expired_ = false;
        deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(max_seconds));
    }
    bool stopped() const { return progress_ != nullptr && progress_->stop_requested(); }
    /// Looks at the clock: some 30 ns.
    bool must_end() {
        expired_ = expired_ || std::chrono::steady_clock::now() >= deadline_;
        return expired_ || stopped();
    }

private:
    const Progress* progress_ = nullptr;
    bool expired_ = false;
    std::chrono::steady_clock::time_point deadline_;
};

}  // namespace snapviewer
