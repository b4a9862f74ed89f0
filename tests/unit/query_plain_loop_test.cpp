#include <sqlite3.h>

#include <thread>

#include "core/query/batches.h"
#include "core/query/plain_loop.h"
#include "core/sqlite/sqlite_handles.h"
#include "tests/unit/query_fixture.h"

namespace snapviewer::test {
namespace {

/// A table `t` of ten rows: `a` counts them, `b` is a text or, in every third row, NULL.
Table small_table() {
    class Words final : public Dictionary {
    public:
        std::size_t size() const override { return 2; }
        DictionaryText text(std::uint32_t code) override { return {code == 0 ? "zero" : "one"}; }
    };
    Table table{"t", "", [] { return std::size_t{10}; }, {}};
    table.columns.push_back({.name = "a", .doc = "", .integer = [](std::size_t row) { return std::int64_t(row); }});
    table.columns.push_back({.name = "b",
                             .doc = "",
                             .code = [](std::size_t row) { return row % 3 == 0 ? k_null_code : std::uint32_t(row % 2); },
                             .dictionary = std::make_shared<Words>()});
    return table;
}

class PlainLoopOf : public ::testing::Test {
protected:
    void SetUp() override {
        sqlite3* raw = nullptr;
        ASSERT_EQ(sqlite3_open(":memory:", &raw), SQLITE_OK);
        connection_.reset(raw);
        tables_.push_back(std::make_unique<VirtualTable>(small_table(), control_));
        ASSERT_EQ(create_virtual_tables(raw, tables_), SQLITE_OK);
        ASSERT_EQ(sqlite3_exec(raw, "CREATE TABLE stored(a INTEGER)", nullptr, nullptr, nullptr), SQLITE_OK);
    }

    SqliteStatement prepared(const std::string& sql) {
        sqlite3_stmt* raw = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &raw, nullptr), SQLITE_OK) << sql;
        return SqliteStatement(raw);
    }
    std::vector<int> columns(const std::string& sql) {
        return plain_loop_columns(read_loop_program(prepared("EXPLAIN " + sql).get()));
    }

    QueryControl control_;
    VirtualTables tables_;
    SqliteConnection connection_;
};

TEST_F(PlainLoopOf, OneTableIsToldByItsColumns) {
    EXPECT_EQ(columns("SELECT b, a FROM t"), (std::vector{1, 0}));
    EXPECT_EQ(columns("SELECT a, rowid, a AS again FROM t"), (std::vector{0, k_row_number, 0}));
    EXPECT_EQ(columns("SELECT a FROM t WHERE a > 3 AND b LIKE '%o%' ORDER BY a DESC"), (std::vector{0}));
    EXPECT_EQ(columns("SELECT x FROM (SELECT a AS x, b FROM t)"), (std::vector{0}));
    EXPECT_EQ(columns("SELECT a FROM t WHERE a < :most"), (std::vector{0}));
}

TEST_F(PlainLoopOf, WhateverElseIsDoneIsNone) {
    for (const char* sql :
         {"SELECT a FROM t LIMIT 3", "SELECT a + 1 FROM t", "SELECT a, 7 FROM t", "SELECT count(*) FROM t", "SELECT 1",
          "SELECT a FROM stored", "SELECT x.a FROM t x, t y", "SELECT x.a FROM t x, stored y",
          "SELECT a FROM t UNION ALL SELECT 1", "SELECT a FROM t UNION ALL SELECT a FROM t", "SELECT DISTINCT a FROM t",
          "SELECT a FROM t ORDER BY b", "SELECT a FROM t WHERE a % 2", "SELECT a FROM t GROUP BY b",
          "SELECT a FROM t WHERE b = 'one'", "SELECT a FROM t WHERE a IN (1, 2)", "SELECT sum(a) OVER () FROM t",
          "SELECT (SELECT max(a) FROM t) FROM t",
          "WITH RECURSIVE n(i) AS (SELECT a FROM t UNION ALL SELECT i FROM n) SELECT i FROM n"}) {
        EXPECT_TRUE(columns(sql).empty()) << sql;
    }
}

TEST_F(PlainLoopOf, TheCursorGivesTheRowsFromTheOneAtHandOn) {
    const SqliteStatement statement = prepared("SELECT a FROM t WHERE b IS NOT NULL ORDER BY a DESC");
    EXPECT_EQ(tables_[0]->walk(), nullptr);
    ASSERT_EQ(sqlite3_step(statement.get()), SQLITE_ROW);
    ASSERT_NE(tables_[0]->walk(), nullptr);
    std::vector<std::size_t> rows;
    ASSERT_TRUE(tables_[0]->walk()->take(4, rows));
    EXPECT_EQ(rows, (std::vector<std::size_t>{8, 7, 5, 4}));
    ASSERT_TRUE(tables_[0]->walk()->take(4, rows));
    EXPECT_EQ(rows, (std::vector<std::size_t>{2, 1}));
    ASSERT_TRUE(tables_[0]->walk()->take(4, rows));
    EXPECT_TRUE(rows.empty());
    sqlite3_reset(statement.get());
    EXPECT_EQ(tables_[0]->walk(), nullptr);
}

/// Keeps what comes, and does something at each batch.
struct Kept final : BatchSink {
    void begin(std::span<const std::string> columns) override { names.assign(columns.begin(), columns.end()); }
    bool batch(RowBatch batch) override {
        batches.push_back(std::move(batch));
        if (at_batch) at_batch();
        return true;
    }
    std::vector<std::string> names;
    std::vector<RowBatch> batches;
    std::function<void()> at_batch;
};

/// A database with so many events, or with one annotation of that name.
std::shared_ptr<Database> database_of_events(std::size_t count) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->streams = {0};
    DeviceTrace trace;
    for (std::size_t i = 0; i < count; ++i) {
        trace.events.push({Action::alloc, 0x1000 + i, i, 0, k_no_pool, i % 5 == 0 ? k_no_time : std::int64_t(i), {}, {}});
    }
    snapshot->devices.push_back(std::move(trace));
    return *Database::create(snapshot, make_timelines(snapshot));
}

TEST(PlainLoop, FillsBatchesWithValuesAndNulls) {
    const auto database = database_of_events(k_rows_a_batch + 3);
    Kept kept;
    ASSERT_TRUE(run_batches(*database, "SELECT size, time_us, action FROM events", {}, 10, nullptr, kept).ok());
    ASSERT_EQ(kept.batches.size(), 2U);
    EXPECT_EQ(kept.names, (std::vector<std::string>{"size", "time_us", "action"}));
    const RowBatch& last = kept.batches[1];
    EXPECT_EQ(kept.batches[0].row_count, k_rows_a_batch);
    EXPECT_EQ(last.row_count, 3U);  // rows 65536, 65537 and 65538
    EXPECT_EQ(last.columns[0].integers, (std::vector<std::int64_t>{65536, 65537, 65538}));
    EXPECT_EQ(last.columns[0].null_count, 0U);
    EXPECT_EQ(kept.batches[0].columns[1].null_count, 13108U);  // 0, 5, ..., 65535
    EXPECT_EQ(last.columns[2].bytes, "allocallocalloc");
}

TEST(PlainLoop, EndsWhenItIsStoppedOrOutOfTime) {
    const auto database = database_of_events(4 * k_rows_a_batch);
    Progress progress;
    Kept stopped;
    stopped.at_batch = [&progress] { progress.request_stop(); };
    const Status status = run_batches(*database, "SELECT id FROM events", {}, 10, &progress, stopped);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::cancelled);
    EXPECT_EQ(stopped.batches.size(), 1U);

    Kept late;
    late.at_batch = [] { std::this_thread::sleep_for(std::chrono::milliseconds(600)); };
    const Status given_up = run_batches(*database, "SELECT id FROM events", {}, 0.5, nullptr, late);
    ASSERT_FALSE(given_up.ok());
    EXPECT_NE(given_up.error().message.find("takes too long"), std::string::npos);
    EXPECT_EQ(late.batches.size(), 1U);
}

TEST(PlainLoop, RefusesWhatSqliteWouldRefuse) {
    auto snapshot = std::make_shared<Snapshot>();
    const std::string long_name(std::size_t{33} << 20, 'x');
    snapshot->annotations.push_back({snapshot->strings.intern("short"), {}, 0, 1});
    snapshot->annotations.push_back({snapshot->strings.intern(long_name), {}, 0, 2});
    const auto database = *Database::create(snapshot, {});
    for (const char* sql : {"SELECT name FROM annotations", "SELECT name FROM annotations LIMIT -1"}) {
        Kept kept;
        const Status status = run_batches(*database, sql, {}, 10, nullptr, kept);
        ASSERT_FALSE(status.ok()) << sql;
        EXPECT_EQ(status.error().message, "string or blob too big") << sql;
        EXPECT_EQ(error_of(*database, sql).message, "string or blob too big") << sql;
    }
}

}  // namespace
}  // namespace snapviewer::test
