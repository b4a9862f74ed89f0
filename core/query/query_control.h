#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/context.h"
#include "core/query/database.h"
#include "core/sqlite/connection.h"

namespace snapviewer::query {

/// Decides when a running query has to end: when asked to stop, or when it exceeds its time or memory limit.
class QueryControl final : public sqlite::SqliteControl {
public:
    /// Starts the clock for a new query. Its rows and bytes are not limited here.
    void start(const QueryLimits& limits) {
        limits_ = limits;
        end_ = End::none;
        began_ = Clock::now();
    }
    bool stopped() const { return limits_.progress != nullptr && limits_.progress->stop_requested(); }
    /// Context for the work of the query. It has no Budget, because the query has its own limits and charges nothing.
    Context context() const { return {limits_.progress, nullptr}; }
    /// Runs `work`, for example an analysis that a table needs, as part of the job that runs the query: with its Progress if
    /// it has one, otherwise in the current Context. Returns a Failure as an Error.
    template <typename Work>
    auto caught_as_job(Work work) const {
        const ContextScope scope(limits_.progress == nullptr ? Context::current() : Context(*limits_.progress));
        return caught(std::move(work));
    }
    bool is_out_of_time() const { return end_ == End::time; }
    bool is_out_of_memory() const { return end_ == End::memory; }
    const QueryLimits& limits() const { return limits_; }

    /// True if the query has to end. Reads the clock, which takes about 30 ns.
    bool must_end() override {
        if (end_ == End::none && std::chrono::duration<double>(Clock::now() - began_).count() > limits_.max_seconds)
            end_ = End::time;
        return end_ != End::none || stopped();
    }
    /// True if the query has to end, or if `taken_bytes`, the memory that it uses, exceeds its limit.
    bool must_end(std::int64_t taken_bytes) {
        if (end_ == End::none && taken_bytes > 0 && static_cast<std::size_t>(taken_bytes) > limits_.max_memory_bytes)
            end_ = End::memory;
        return must_end();
    }

private:
    using Clock = std::chrono::steady_clock;
    enum class End { none, time, memory };

    /// Limits of the query; none before the first query.
    QueryLimits limits_{.max_seconds = std::numeric_limits<double>::max()};
    End end_ = End::none;
    Clock::time_point began_;
};

}  // namespace snapviewer::query
