#pragma once

#include <cstdint>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/sqlite/sqlite_control.h"

namespace snapviewer {

/// Who is asked while statements of a stranger's database run: whether a load was stopped, and whether what they cost is
/// still within its budget. One thread at a time.
class SqliteWatch final : public SqliteControl {
public:
    /// From now on; null: nobody is asked. SQLite's machine will ask after so many operations each. Time is charged `times`
    /// over, for what will be done again where nobody counts.
    void start(Progress* progress, int operations_between_looks, std::uint64_t times = 1);
    bool is_on() const { return progress_ != nullptr; }
    bool must_stop() const { return snapviewer::must_stop(progress_); }

    /// Looks at the clock, for a few of SQLite's steps can take longer than thousands of others.
    bool must_end() override;
    /// The same, after as many operations as were told of.
    bool must_end_as_agreed();
    Progress* progress() const { return progress_; }

    /// An error if it was stopped or refused.
    Status status() const;

private:
    void charge_time();

    Progress* progress_ = nullptr;
    std::uint64_t work_between_looks_ = 0;
    std::uint64_t times_ = 1;
    Status refused_ = {};  ///< what the budget said
    std::uint64_t unpaid_work_ = 0;
    std::int64_t looked_ns_ = 0;  ///< when the clock was last looked at
    std::uint64_t used_ns_ = 0;   ///< by this thread, when the clock was last looked at
};

}  // namespace snapviewer
