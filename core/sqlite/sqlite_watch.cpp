#include "core/sqlite/sqlite_watch.h"

#include <utility>

#include "core/system/clocks.h"

namespace snapviewer {
namespace {

/// What a load's budget is charged for a step of SQLite's machine. Those that take far longer, as with texts of megabytes,
/// are charged by the time they take, at so much less that no honest file notices on a slow machine.
constexpr std::uint64_t k_work_an_operation = 16;
constexpr std::uint64_t k_ns_a_work = 3;

/// How much work may be done before the budget, which several threads share, is informed: some 16 us.
constexpr std::uint64_t k_most_unpaid_work = 1 << 14;

/// By a rough clock: it is asked every few rows.
constexpr std::int64_t k_between_looks_ns = 1'000'000;

}  // namespace

void SqliteWatch::start(Progress* progress, int operations_between_looks, std::uint64_t times) {
    progress_ = progress;
    times_ = times;
    work_between_looks_ = k_work_an_operation * static_cast<std::uint64_t>(operations_between_looks);
    refused_ = {};
    unpaid_work_ = 0;
    looked_ns_ = rough_time_ns();
    used_ns_ = thread_time_ns();
}

void SqliteWatch::charge_time() {
    const std::int64_t now_ns = rough_time_ns();
    if (now_ns - looked_ns_ < k_between_looks_ns) return;
    looked_ns_ = now_ns;
    const std::uint64_t used_ns = thread_time_ns();
    if (used_ns > used_ns_) refused_ = progress_->budget().work((used_ns - used_ns_) * times_ / k_ns_a_work);
    used_ns_ = used_ns;
}

bool SqliteWatch::must_end() {
    if (!is_on()) return false;
    if (refused_) charge_time();
    return !refused_ || must_stop();
}

bool SqliteWatch::must_end_as_agreed() {
    unpaid_work_ += work_between_looks_;
    if (is_on() && refused_ && unpaid_work_ >= k_most_unpaid_work)
        refused_ = progress_->budget().work(std::exchange(unpaid_work_, 0));
    return must_end();
}

Status SqliteWatch::status() const {
    if (!refused_) return refused_;
    return must_stop() ? Status(stopped()) : Status();
}

}  // namespace snapviewer
