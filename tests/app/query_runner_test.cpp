#include "app/query_runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace snapviewer {
namespace {

/// Answers "endless" only when interrupted, like a query that would run for ever; hears an interrupt only once it runs.
class FakeDatabase : public Database {
public:
    Result<QueryResult> run(std::string_view sql, const QueryLimits&) override {
        interrupted_ = false;
        while (sql == "endless" && !interrupted_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (interrupted_) return Error{ErrorCode::cancelled, "stopped"};
        QueryResult result;
        result.columns = {"sql"};
        result.cells = {std::string(sql)};
        return result;
    }
    Status run_each(std::string_view, double, RowSink&) override { return {}; }
    void interrupt() override { interrupted_ = true; }
    void set_allocs_device(std::size_t) override {}
    std::span<const TableDoc> schema() const override { return {}; }

private:
    std::atomic<bool> interrupted_{false};
};

/// Polls as the window does, for at most ten seconds.
std::optional<Result<QueryResult>> wait_for(QueryRunner& runner) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline) {
        if (auto outcome = runner.poll()) return outcome;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return std::nullopt;
}

TEST(QueryRunnerTest, GivesTheResultOnceAndWakesTheWindow) {
    std::atomic<int> woken{0};
    QueryRunner runner([&] { ++woken; });
    EXPECT_FALSE(runner.is_running());
    runner.start(std::make_shared<FakeDatabase>(), "SELECT 1", {});
    const auto outcome = wait_for(runner);
    ASSERT_TRUE(outcome.has_value());
    ASSERT_TRUE(outcome->ok());
    EXPECT_EQ(std::get<std::string>(outcome->value().cells[0]), "SELECT 1");
    EXPECT_FALSE(runner.is_running());
    EXPECT_FALSE(runner.poll().has_value());
    runner.discard();
    EXPECT_EQ(woken, 1);
}

TEST(QueryRunnerTest, StopEndsAnEndlessQueryEvenIfItHasNotBegun) {
    QueryRunner runner;
    runner.start(std::make_shared<FakeDatabase>(), "endless", {});
    runner.stop();
    const auto outcome = wait_for(runner);
    ASSERT_TRUE(outcome.has_value());
    ASSERT_FALSE(outcome->ok());
    EXPECT_EQ(outcome->error().code, ErrorCode::cancelled);
    const double elapsed_ms = runner.elapsed_ms();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(runner.elapsed_ms(), elapsed_ms);
}

TEST(QueryRunnerTest, ANewQueryReplacesTheRunningOne) {
    QueryRunner runner;
    const auto database = std::make_shared<FakeDatabase>();
    runner.start(database, "endless", {});
    EXPECT_TRUE(runner.is_running());
    runner.start(database, "SELECT 2", {});
    const auto outcome = wait_for(runner);
    ASSERT_TRUE(outcome.has_value() && outcome->ok());
    EXPECT_EQ(std::get<std::string>(outcome->value().cells[0]), "SELECT 2");
}

TEST(QueryRunnerTest, DestructionWhileRunningWaits) {
    std::atomic<bool> done{false};
    {
        QueryRunner runner([&] { done = true; });
        runner.start(std::make_shared<FakeDatabase>(), "endless", {});
    }
    EXPECT_TRUE(done);
}

}  // namespace
}  // namespace snapviewer
