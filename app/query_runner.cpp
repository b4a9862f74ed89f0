#include "app/query_runner.h"

#include <utility>

namespace snapviewer {

QueryRunner::QueryRunner(std::function<void()> on_done) : on_done_(std::move(on_done)) {}

QueryRunner::~QueryRunner() { discard(); }

void QueryRunner::start(std::shared_ptr<Database> database, std::string sql, const QueryLimits& limits) {
    discard();
    database_ = std::move(database);
    stop_requested_ = false;
    started_at_ = Clock::now();
    running_ = true;
    worker_ = std::jthread([this, target = database_, text = std::move(sql), limits] {
        Result<QueryResult> result = target->run(text, limits);
        {
            const std::lock_guard lock(mutex_);
            outcome_ = std::move(result);
            ended_at_ = Clock::now();
            running_ = false;
        }
        ended_.notify_all();
        if (on_done_) on_done_();
    });
}

bool QueryRunner::is_running() const {
    const std::lock_guard lock(mutex_);
    return running_ || outcome_.has_value();
}

double QueryRunner::elapsed_ms() const {
    const std::lock_guard lock(mutex_);
    const Clock::time_point until = running_ ? Clock::now() : ended_at_;
    return std::chrono::duration<double, std::milli>(until - started_at_).count();
}

void QueryRunner::stop() {
    if (!is_running()) return;
    stop_requested_ = true;
    database_->interrupt();
}

std::optional<Result<QueryResult>> QueryRunner::poll() {
    // An interrupt that came before SQLite had begun went unheard, so it is repeated until the query ends.
    if (stop_requested_ && is_running()) database_->interrupt();
    const std::lock_guard lock(mutex_);
    return std::exchange(outcome_, std::nullopt);
}

void QueryRunner::discard() {
    {
        std::unique_lock lock(mutex_);
        while (running_) {
            database_->interrupt();
            ended_.wait_for(lock, std::chrono::milliseconds(5));
        }
    }
    if (worker_.joinable()) worker_.join();
    outcome_.reset();
}

}  // namespace snapviewer
