#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/context.h"
#include "core/sqlite/functions.h"

namespace snapviewer {

/// Time and memory limits of a query.
struct QueryBudget {
    double max_seconds = std::numeric_limits<double>::max();
    std::size_t max_memory_bytes = std::numeric_limits<std::size_t>::max();  ///< Maximum memory of SQLite
};

/// Decides when a running query has to end: when asked to stop, or when it exceeds its time or memory limit.
class QueryControl final : public SqliteControl {
public:
    /// Starts the clock for a new query. `progress` may be null and must outlive the query.
    void start(const QueryBudget& budget, Progress* progress) {
        budget_ = budget;
        progress_ = progress;
        end_ = End::none;
        began_ = Clock::now();
    }
    bool stopped() const { return progress_ != nullptr && progress_->stop_requested(); }
    /// Context for the work of the query. It has no Budget, because the query has its own limits and charges nothing.
    Context context() const { return {progress_, nullptr}; }
    /// Runs `work`, for example an analysis that a table needs, as part of the job that runs the query: with its Progress if
    /// it has one, otherwise in the current Context. Returns a Failure as an Error.
    template <typename Work>
    auto caught_as_job(Work work) const {
        const ContextScope scope(progress_ == nullptr ? Context::current() : Context(*progress_));
        return caught(std::move(work));
    }
    bool is_out_of_time() const { return end_ == End::time; }
    bool is_out_of_memory() const { return end_ == End::memory; }
    const QueryBudget& budget() const { return budget_; }

    /// True if the query has to end. Reads the clock, which takes about 30 ns.
    bool must_end() override {
        if (end_ == End::none && std::chrono::duration<double>(Clock::now() - began_).count() > budget_.max_seconds)
            end_ = End::time;
        return end_ != End::none || stopped();
    }
    /// True if the query has to end, or if `taken_bytes`, the memory that it uses, exceeds its limit.
    bool must_end(std::int64_t taken_bytes) {
        if (end_ == End::none && taken_bytes > 0 && static_cast<std::size_t>(taken_bytes) > budget_.max_memory_bytes)
            end_ = End::memory;
        return must_end();
    }

private:
    using Clock = std::chrono::steady_clock;
    enum class End { none, time, memory };

    QueryBudget budget_;
    Progress* progress_ = nullptr;
    End end_ = End::none;
    Clock::time_point began_;
};

}  // namespace snapviewer
