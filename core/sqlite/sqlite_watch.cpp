#include "core/sqlite/sqlite_watch.h"

#include <ctime>

namespace snapviewer {
namespace {

/// What a load's budget is charged for a step of SQLite's machine. Those that take far longer, as with texts of megabytes,
/// are charged by the time they take, at so much less that no honest file notices on a slow machine.
constexpr std::uint64_t k_work_an_operation = 16;
constexpr std::uint64_t k_ns_a_work = 3;

constexpr std::chrono::milliseconds k_between_looks(1);

std::uint64_t thread_time_ns() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

void SqliteWatch::start(Progress* progress, int operations_between_looks) {
    progress_ = progress;
    work_between_looks_ = k_work_an_operation * static_cast<std::uint64_t>(operations_between_looks);
    refused_ = {};
    looked_ = Clock::now();
    used_ns_ = thread_time_ns();
}

void SqliteWatch::charge_time() {
    const Clock::time_point now = Clock::now();
    if (now - looked_ < k_between_looks) return;
    looked_ = now;
    const std::uint64_t used_ns = thread_time_ns();
    if (used_ns > used_ns_) refused_ = progress_->budget().work((used_ns - used_ns_) / k_ns_a_work);
    used_ns_ = used_ns;
}

bool SqliteWatch::must_end() {
    if (!is_on()) return false;
    if (refused_) charge_time();
    return !refused_ || must_stop();
}

bool SqliteWatch::must_end_as_agreed() {
    if (is_on() && refused_) refused_ = progress_->budget().work(work_between_looks_);
    return must_end();
}

bool SqliteWatch::may_hold(std::int64_t bytes) {
    if (is_on() && refused_ && bytes > 0) refused_ = progress_->budget().keep_for_now(static_cast<std::uint64_t>(bytes));
    return !must_end();
}

bool SqliteWatch::may_keep(std::uint64_t bytes) {
    if (is_on() && refused_) refused_ = progress_->budget().keep(bytes);
    return !is_on() || refused_;
}

Status SqliteWatch::status() const {
    if (!refused_) return refused_;
    return must_stop() ? Status(stopped()) : Status();
}

}  // namespace snapviewer
