#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/context.h"
#include "core/sqlite/sqlite_control.h"

namespace snapviewer {

/// What a query may take.
struct QueryBudget {
    double max_seconds = std::numeric_limits<double>::max();
    std::size_t max_memory_bytes = std::numeric_limits<std::size_t>::max();  ///< of SQLite, to sort and group
};

/// When a running query has to end: asked to, or out of time or memory.
class QueryControl final : public SqliteControl {
public:
    /// `progress` may be null; it must live as long as the query.
    void start(const QueryBudget& budget, Progress* progress) {
        budget_ = budget;
        progress_ = progress;
        end_ = End::none;
        began_ = Clock::now();
    }
    bool stopped() const { return progress_ != nullptr && progress_->stop_requested(); }
    /// The context of the query, which is limited by itself and charges nothing.
    Context context() const { return {progress_, nullptr}; }
    /// Runs work of tables for the query, which may analyse the file: as part of the job that asks.
    template <typename Work>
    auto caught_as_job(Work work) const {
        const ContextScope scope(progress_ == nullptr ? Context::current() : Context(*progress_));
        return caught(std::move(work));
    }
    bool is_out_of_time() const { return end_ == End::time; }
    bool is_out_of_memory() const { return end_ == End::memory; }
    const QueryBudget& budget() const { return budget_; }

    /// Looks at the clock: some 30 ns.
    bool must_end() override {
        if (end_ == End::none && std::chrono::duration<double>(Clock::now() - began_).count() > budget_.max_seconds)
            end_ = End::time;
        return end_ != End::none || stopped();
    }
    /// The same with the memory that the query has taken.
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
