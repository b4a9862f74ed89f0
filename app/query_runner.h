#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/query/database.h"

namespace snapviewer {

/// Runs one query at a time on a thread of its own, so that the window keeps drawing meanwhile.
/// All members belong to the main thread.
class QueryRunner {
public:
    /// `on_done` is called on the worker when a query has ended: it may wake a main thread that sleeps in the event loop.
    explicit QueryRunner(std::function<void()> on_done = {});
    /// Stops what runs and waits for it.
    ~QueryRunner();
    QueryRunner(const QueryRunner&) = delete;
    QueryRunner& operator=(const QueryRunner&) = delete;

    /// A query that still runs is stopped first and its result dropped.
    void start(std::shared_ptr<Database> database, std::string sql, const QueryLimits& limits);
    /// From start() until poll() has given the result.
    bool is_running() const;
    /// Of the running query so far, else of the last one.
    double elapsed_ms() const;
    /// Returns at once; the query ends with ErrorCode::cancelled soon after.
    void stop();
    /// Stops what runs, waits for it (milliseconds) and forgets its result.
    void discard();
    /// The result of the query started last, once. To be called every frame.
    std::optional<Result<QueryResult>> poll();

private:
    using Clock = std::chrono::steady_clock;

    std::function<void()> on_done_;
    std::shared_ptr<Database> database_;
    bool stop_requested_ = false;
    Clock::time_point started_at_;

    mutable std::mutex mutex_;
    std::condition_variable ended_;
    bool running_ = false;                        ///< guarded by mutex_
    Clock::time_point ended_at_;                  ///< guarded by mutex_
    std::optional<Result<QueryResult>> outcome_;  ///< guarded by mutex_
    std::jthread worker_;
};

}  // namespace snapviewer
