#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>
#include <thread>

#include "core/base/context.h"
#include "core/sqlite/sqlite_file.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer::sqlite_stop_test {
namespace {

using Clock = std::chrono::steady_clock;
using Ms = std::chrono::duration<double, std::milli>;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Sanitizers slow everything down many times.
constexpr double k_answers_within_ms = 2000;
constexpr int k_rows = 150'000;
#else
constexpr double k_answers_within_ms = 200;
constexpr int k_rows = 1'500'000;  // sorting them takes a good part of a second
#endif

/// A database in its own folder.
struct Written {
    explicit Written(const std::string& sql) {
        { const WrittenDatabase written(path(), "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;" + sql); }
        state = folder.state();
    }
    std::string path() const { return folder.file("a.db"); }

    TestFolder folder;
    decltype(folder.state()) state;
};

/// A database of distinct numbers in random order.
const Written& out_of_order() {
    static const Written written(fmt::format(
        "CREATE TABLE t (a); INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) "
        "SELECT i * 7919 % 1500007 FROM n",
        k_rows));
    return written;
}

/// One statement, run in the context of a load.
class Statement {
public:
    Statement(const Written& written, const std::string& sql) : scope_(Context(progress_)) {
        progress_.budget().add_file(std::filesystem::file_size(written.path()));
        auto file = sqlite::SqliteFile::open(written.path());
        if (!file) throw std::runtime_error(file.error().text());
        file_ = std::move(*file);
        auto rows = file_->query(sql);
        if (!rows) throw std::runtime_error(rows.error().text());
        rows_.emplace(std::move(*rows));
    }

    sqlite::SqliteRows& rows() { return *rows_; }

    /// Time until the first row, in milliseconds.
    double ms_to_first_row() {
        const Clock::time_point start = Clock::now();
        rows_->next();
        return Ms(Clock::now() - start).count();
    }

    /// Time that the statement continues after a stop request at `after_ms`; 0 if it had finished before.
    double ms_until_stopped(double after_ms) {
        Clock::time_point answered;
        std::jthread worker([&, context = Context::current()] {
            const ContextScope scope(context);
            rows_->next();
            answered = Clock::now();
        });
        std::this_thread::sleep_for(Ms(after_ms));
        const Clock::time_point asked = Clock::now();
        const std::clock_t used = std::clock();
        progress_.request_stop();
        worker.join();
        // Excludes time in which a busy machine did not run this process.
        const double worked_ms = 1000.0 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
        return std::max(0.0, std::min(worked_ms, Ms(answered - asked).count()));
    }

private:
    Progress progress_;
    ContextScope scope_;
    std::shared_ptr<sqlite::SqliteFile> file_;
    std::optional<sqlite::SqliteRows> rows_;
};

const char* const k_sorting = "SELECT a FROM t ORDER BY a";

TEST(SqliteStop, SortsAllTheSame) {
    Statement sorted(out_of_order(), k_sorting);
    std::int64_t before = 0, count = 0;
    for (; sorted.rows().next(); ++count) {
        ASSERT_GT(sorted.rows().integer(0), before);
        before = sorted.rows().integer(0);
    }
    ASSERT_TRUE(sorted.rows().status()) << sorted.rows().status().error().text();
    EXPECT_EQ(count, k_rows);
    EXPECT_TRUE(out_of_order().folder.state() == out_of_order().state);
}

TEST(SqliteStop, WhileItSorts) {
    // On a busy machine many stop requests arrive after the sorting is finished.
    constexpr int k_max_attempts = 60, k_wanted = 9;
    const double whole_ms = Statement(out_of_order(), k_sorting).ms_to_first_row();
    int stopped_count = 0;
    for (int attempt = 0; attempt < k_max_attempts && stopped_count < k_wanted; ++attempt) {
        const int tenth = 1 + attempt % 9;
        Statement sorted(out_of_order(), k_sorting);
        EXPECT_LT(sorted.ms_until_stopped(tenth * whole_ms / 10), k_answers_within_ms)
            << "at " << tenth << " tenths of " << whole_ms;
        stopped_count += !sorted.rows().status() && sorted.rows().status().error().code == ErrorCode::cancelled;
    }
    EXPECT_GT(stopped_count, 4);
}

TEST(SqliteStop, WithinAFunction) {
    const Written written(
        "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        "SELECT x AS a FROM c WHERE hex(zeroblob(1000000)) LIKE '%' || hex(zeroblob(20)) || x || '1%'");
    Statement like(written, "SELECT a FROM v");
    EXPECT_LT(like.ms_until_stopped(100), k_answers_within_ms);
    ASSERT_FALSE(like.rows().status());
    EXPECT_EQ(like.rows().status().error().code, ErrorCode::cancelled);
}

TEST(SqliteStop, BetweenComparisonsOfHugeTexts) {
    const Written written(
        "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        "SELECT x FROM c WHERE hex(zeroblob(1900000)) || x = hex(zeroblob(1900000)) || 'y'");
    Statement compared(written, "SELECT x FROM v");
    EXPECT_LT(compared.ms_until_stopped(300), k_answers_within_ms);
    ASSERT_FALSE(compared.rows().status());
    EXPECT_EQ(compared.rows().status().error().code, ErrorCode::cancelled);
}

/// Sorting is limited by the budget of the load, not by the memory of the machine.
TEST(SqliteStop, HoldsNoMoreThanItsAccountAllows) {
    const Written written(
        "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 150) "
        "SELECT hex(zeroblob(1900000)) || -x AS a FROM c");
    Statement sorted(written, "SELECT a FROM v ORDER BY a");
    const Result<bool> refused = caught([&] { return sorted.rows().next(); });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
}

}  // namespace
}  // namespace snapviewer::sqlite_stop_test
