#include <fmt/format.h>
#include <sqlite3.h>

#include <limits>

#include "core/query/batches.h"
#include "core/query/plain_loop.h"
#include "core/sqlite/sqlite_handles.h"
#include "tests/unit/query_fixture.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

/// A table `n` of some numbers and NULL, with a column `word` of texts.
Table number_table(std::vector<std::optional<std::int64_t>> numbers) {
    class Words final : public Dictionary {
    public:
        std::size_t size() const override { return 1; }
        DictionaryText text(std::uint32_t) override { return {"7"}; }
    };
    const std::size_t count = numbers.size();
    Table table{"n", "", [count] { return count; }, {}};
    table.columns.push_back(
        {.name = "x", .doc = "", .integer = [numbers = std::move(numbers)](std::size_t row) { return numbers[row]; }});
    table.columns.push_back({.name = "word",
                             .doc = "",
                             .code = [](std::size_t) { return std::uint32_t{0}; },
                             .dictionary = std::make_shared<Words>()});
    return table;
}

class Aggregates : public ::testing::Test {
protected:
    void open(std::vector<std::optional<std::int64_t>> numbers) {
        sqlite3* raw = nullptr;
        ASSERT_EQ(sqlite3_open(":memory:", &raw), SQLITE_OK);
        connection_.reset(raw);
        tables_.clear();
        tables_.push_back(std::make_unique<VirtualTable>(number_table(std::move(numbers)), control_));
        ASSERT_EQ(create_virtual_tables(raw, tables_), SQLITE_OK);
        ASSERT_EQ(sqlite3_exec(raw, "CREATE TABLE stored(x INTEGER)", nullptr, nullptr, nullptr), SQLITE_OK);
    }
    SqliteStatement prepared(const std::string& sql) {
        sqlite3_stmt* raw = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &raw, nullptr), SQLITE_OK) << sql;
        return SqliteStatement(raw);
    }
    std::vector<LoopAggregate> told_of(const std::string& sql) {
        return read_loop(prepared("EXPLAIN " + sql).get()).aggregates;
    }
    /// While the table holds its rows back.
    Result<std::optional<std::vector<Cell>>> added_up(const std::string& sql) {
        const std::vector<LoopAggregate> aggregates = told_of(sql);
        const SqliteStatement statement = prepared(sql);
        tables_[0]->hold_rows(true);
        EXPECT_EQ(sqlite3_step(statement.get()), SQLITE_ROW);
        tables_[0]->hold_rows(false);
        return add_up(*tables_[0]->walk(), aggregates);
    }

    QueryControl control_;
    VirtualTables tables_;
    SqliteConnection connection_;
};

TEST_F(Aggregates, AreToldInTheOrderOfTheResult) {
    using enum AggregateFunction;
    open({1});
    EXPECT_EQ(told_of("SELECT count(*) FROM n"), (std::vector<LoopAggregate>{{count_rows, k_row_number}}));
    EXPECT_EQ(told_of("SELECT sum(x), count(x), count(*), sum(x), min(rowid) FROM n WHERE x > 3"),
              (std::vector<LoopAggregate>{{sum, 0}, {count, 0}, {count_rows, k_row_number}, {sum, 0}, {min, k_row_number}}));
    EXPECT_EQ(told_of("SELECT max(x) AS most, min(x) FROM n WHERE word LIKE '%7%'"),
              (std::vector<LoopAggregate>{{max, 0}, {min, 0}}));
}

TEST_F(Aggregates, WhateverElseIsDoneIsNone) {
    open({1});
    for (const char* sql : {"SELECT x FROM n",
                            "SELECT count(*), 7 FROM n",
                            "SELECT sum(x) + 1 FROM n",
                            "SELECT sum(x + 1) FROM n",
                            "SELECT count(DISTINCT x) FROM n",
                            "SELECT sum(x) FILTER (WHERE x > 3) FROM n",
                            "SELECT avg(x) FROM n",
                            "SELECT group_concat(x) FROM n",
                            "SELECT sum(x), x FROM n",
                            "SELECT count(*) FROM n GROUP BY x",
                            "SELECT count(*) FROM n WHERE x % 2",
                            "SELECT count(*) FROM n HAVING count(*) > 3",
                            "SELECT count(*) FROM n LIMIT 1",
                            "SELECT count(*) FROM n UNION ALL SELECT 1",
                            "SELECT count(*) FROM stored",
                            "SELECT count(*) FROM n, stored",
                            "SELECT count(*) FROM n a, n b",
                            "SELECT count(*) OVER () FROM n",
                            "SELECT (SELECT count(*) FROM n)",
                            "SELECT max(x, 3) FROM n",
                            "SELECT count(*) FROM n WHERE x IN (1, 2)",
                            "SELECT count(*) FROM n WHERE x = 1 OR x IS NULL"}) {
        EXPECT_TRUE(told_of(sql).empty()) << sql;
    }
}

TEST_F(Aggregates, NullCountsForNothing) {
    open({std::nullopt, 5, -3, std::nullopt, 9});
    const auto cells = added_up("SELECT count(*), count(x), sum(x), min(x), max(x) FROM n").value();
    ASSERT_TRUE(cells);
    EXPECT_EQ(*cells,
              (std::vector<Cell>{std::int64_t{5}, std::int64_t{3}, std::int64_t{11}, std::int64_t{-3}, std::int64_t{9}}));

    open({std::nullopt});
    EXPECT_EQ(*added_up("SELECT count(*), count(x), sum(x), min(x), max(x) FROM n").value(),
              (std::vector<Cell>{std::int64_t{1}, std::int64_t{0}, Cell(), Cell(), Cell()}));
    open({});
    EXPECT_EQ(*added_up("SELECT count(*), sum(x), max(x) FROM n").value(),
              (std::vector<Cell>{std::int64_t{0}, Cell(), Cell()}));
}

TEST_F(Aggregates, ASumThatIsTooLargeIsRefusedAsSqliteRefusesIt) {
    constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();
    open({k_most, 1, -5});
    const auto added = added_up("SELECT sum(x) FROM n");
    ASSERT_FALSE(added.ok());
    const SqliteStatement theirs = prepared("SELECT sum(x), 7 FROM n");
    ASSERT_EQ(sqlite3_step(theirs.get()), SQLITE_ERROR);
    EXPECT_EQ(added.error().message, sqlite3_errmsg(connection_.get()));
    open({k_most, -1, 1});
    EXPECT_EQ(*added_up("SELECT sum(x) FROM n").value(), (std::vector<Cell>{k_most}));
}

TEST_F(Aggregates, TextsAreLeftToSqlite) {
    open({1, 2});
    const SqliteStatement statement = prepared("SELECT count(*) FROM n WHERE x > 0");
    ASSERT_EQ(sqlite3_step(statement.get()), SQLITE_ROW);
    ASSERT_NE(tables_[0]->walk(), nullptr);
    EXPECT_TRUE(can_add_up(*tables_[0]->walk(), told_of("SELECT count(*), sum(x) FROM n")));
    EXPECT_FALSE(can_add_up(*tables_[0]->walk(), told_of("SELECT count(*), sum(word) FROM n")));
}

/// A constant beside them leaves the same values to SQLite's own machine.
TEST(Aggregate, AreThoseOfSqlite) {
    const auto snapshot = random_trace(5, 3000, 70);
    const std::shared_ptr<Database> open = Database::create(snapshot, make_timelines(snapshot)).value();
    const std::pair<std::string, std::string> columns[] = {
        {"allocations", "size"}, {"events", "size"}, {"allocs", "end_time"}, {"totals", "allocated"}, {"stacks", "depth"}};
    for (const auto& [table, column] : columns) {
        for (const std::string where : {"", "WHERE rowid % 2 = 0", "WHERE {} > 500", "WHERE rowid BETWEEN 40 AND 1700",
                                        "WHERE {} < 0", "WHERE {} IS NULL"}) {
            for (const std::string what :
                 {"count(*)", "sum({0}), count({0})", "min({0}), max(rowid)", "max({0})", "sum(rowid), count(*)"}) {
                const std::string values = fmt::format(fmt::runtime(what), column);
                const std::string from = fmt::format(" FROM {} ", table) + fmt::format(fmt::runtime(where), column);
                EXPECT_EQ(rows_of(*open, "SELECT " + values + from) + "|7",
                          rows_of(*open, "SELECT " + values + ", 7" + from))
                    << values << from;
            }
        }
    }
    EXPECT_EQ(rows_of(*open, "SELECT count(*), sum(action), min(action) FROM events") + "|7",
              rows_of(*open, "SELECT count(*), sum(action), min(action), 7 FROM events"));
}

TEST(Aggregate, ComeAsABatchOfOneRow) {
    struct Kept final : BatchSink {
        void begin(std::span<const std::string> columns) override { names.assign(columns.begin(), columns.end()); }
        bool batch(RowBatch batch) override {
            batches.push_back(std::move(batch));
            return true;
        }
        std::vector<std::string> names;
        std::vector<RowBatch> batches;
    };
    const auto snapshot = random_trace(5, 3000, 70);
    const std::shared_ptr<Database> open = Database::create(snapshot, make_timelines(snapshot)).value();
    Kept ours, theirs;
    const std::string sql = "SELECT count(*) AS n, sum(size), max(size) FROM events WHERE size < ";
    for (const char* limit : {"700", "0"}) {
        ASSERT_TRUE(run_batches(*open, sql + limit, {}, 10, nullptr, ours).ok());
        ASSERT_TRUE(run_batches(*open, sql + limit + " LIMIT 1", {}, 10, nullptr, theirs).ok());
        EXPECT_EQ(ours.names, theirs.names);
        ASSERT_EQ(ours.batches.size(), theirs.batches.size());
        ASSERT_EQ(ours.batches.back().columns.size(), 3U);
        EXPECT_EQ(ours.batches.back().row_count, 1U);
        for (std::size_t i = 0; i < 3; ++i) {
            const BatchColumn& mine = ours.batches.back().columns[i];
            const BatchColumn& other = theirs.batches.back().columns[i];
            EXPECT_EQ(mine.type, other.type);
            EXPECT_EQ(mine.integers, other.integers);
            EXPECT_EQ(mine.null_count, other.null_count);
            EXPECT_EQ(mine.valid_bits, other.valid_bits);
        }
    }
}

TEST(Aggregate, EndWhenTheyAreStopped) {
    const auto snapshot = random_trace(5, 3000, 70);
    const std::shared_ptr<Database> open = Database::create(snapshot, make_timelines(snapshot)).value();
    Progress progress;
    progress.request_stop();
    QueryLimits limits;
    limits.progress = &progress;
    EXPECT_EQ(error_of(*open, "SELECT sum(size) FROM events", limits).code, ErrorCode::cancelled);
}

/// "Alive at T" is asked in two parts, of which each finds few rows; the row numbers of both are put together.
TEST(QueryPlan, WhatIsAliveIsAskedInTwoParts) {
    const auto snapshot = random_trace(7, 3000, 70);
    const auto timelines = make_timelines(snapshot);
    const std::shared_ptr<Database> open = Database::create(snapshot, timelines).value();
    for (const std::string step : {"0", "1", "700", "2000", "1000000", "NULL", "(SELECT peak_step FROM devices)"}) {
        const std::string from = " FROM allocations WHERE alloc_step <= " + step + " AND ";
        const std::string asked = from + "(free_step IS NULL OR free_step > " + step + ")";
        EXPECT_NE(rows_of(*open, "EXPLAIN QUERY PLAN SELECT size" + asked).find("MULTI-INDEX OR"), std::string::npos)
            << asked;
        // What something is added to is none of a table's columns, so SQLite tests it itself.
        const std::string alone = from + "(free_step+0 IS NULL OR free_step+0 > " + step + ")";
        EXPECT_EQ(rows_of(*open, "SELECT id, size" + asked + " ORDER BY id"),
                  rows_of(*open, "SELECT id, size" + alone + " ORDER BY id"));
        EXPECT_EQ(rows_of(*open, "SELECT sum(size), count(*)" + asked),
                  rows_of(*open, "SELECT sum(size), count(*)" + alone));
    }
    const Timeline& timeline = *timelines[0];
    const std::string step = std::to_string(timeline.step_of_tick(timeline.peak_tick()));
    EXPECT_EQ(rows_of(*open, "SELECT sum(size) FROM allocations WHERE alloc_step <= " + step +
                                 " AND (free_step IS NULL OR free_step > " + step + ")"),
              std::to_string(timeline.peak_bytes()));
}

/// The table puts its rows in order before it hands them over; SQLite sorts those of both parts with all that is shown.
TEST(QueryPlan, ManyRowsInOrderAreOneWalk) {
    for (const std::uint64_t live : {10U, 3000U}) {
        TraceBuilder trace;
        for (std::uint64_t i = 0; i < 20'000; ++i) {
            trace.alloc(512 * (i + 1), 100);
            if (i >= live) trace.free(512 * (i + 1 - live), 100);
        }
        const auto snapshot = trace.build();
        const std::shared_ptr<Database> open = Database::create(snapshot, make_timelines(snapshot)).value();
        const std::string plan = rows_of(*open,
                                         "EXPLAIN QUERY PLAN SELECT id FROM allocations WHERE alloc_step <= 9000 AND "
                                         "(free_step IS NULL OR free_step > 9000) ORDER BY size DESC");
        EXPECT_EQ(plan.find("MULTI-INDEX OR") != std::string::npos, live == 10) << plan;
    }
}

/// Some rows tell that a column holds the same in all of them.
TEST(QueryPlan, AnOrThatFindsAllIsOneWalk) {
    const auto snapshot = random_trace(7, 3000, 70);
    const std::shared_ptr<Database> open = Database::create(snapshot, make_timelines(snapshot)).value();
    const std::string plan = "EXPLAIN QUERY PLAN SELECT id FROM allocations WHERE ";
    EXPECT_EQ(rows_of(*open, plan + "device = 0 OR size = 3").find("MULTI-INDEX OR"), std::string::npos);
    EXPECT_NE(rows_of(*open, plan + "alloc_event = 5 OR size = 3").find("MULTI-INDEX OR"), std::string::npos);
}

}  // namespace
}  // namespace snapviewer::test
