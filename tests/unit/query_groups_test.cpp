#include <fmt/format.h>
#include <sqlite3.h>

#include <limits>
#include <random>

#include "core/query/batches.h"
#include "core/query/group_plan.h"
#include "core/query/grouped_rows.h"
#include "core/sqlite/sqlite_handles.h"
#include "tests/unit/query_fixture.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

using Number = std::optional<std::int64_t>;
using Use = GroupRead::Use;

constexpr int k_group_rows = 3;  ///< behind the columns of `n`

/// A table `n` of keys and numbers, with a column `word` of texts.
Table number_table(std::vector<std::pair<Number, Number>> rows) {
    class Words final : public Dictionary {
    public:
        std::size_t size() const override { return 1; }
        DictionaryText text(std::uint32_t) override { return {"7"}; }
    };
    const auto numbers = std::make_shared<std::vector<std::pair<Number, Number>>>(std::move(rows));
    Table table{"n", "", [numbers] { return numbers->size(); }, {}};
    table.columns.push_back(
        {.name = "k", .doc = "", .integer = [numbers](std::size_t row) { return (*numbers)[row].first; }});
    table.columns.push_back(
        {.name = "x", .doc = "", .integer = [numbers](std::size_t row) { return (*numbers)[row].second; }});
    table.columns.push_back({.name = "word",
                             .doc = "",
                             .code = [](std::size_t) { return std::uint32_t{0}; },
                             .dictionary = std::make_shared<Words>()});
    return table;
}

class Groups : public ::testing::Test {
protected:
    void open(std::vector<std::pair<Number, Number>> rows) {
        sqlite3* raw = nullptr;
        ASSERT_EQ(sqlite3_open(":memory:", &raw), SQLITE_OK);
        connection_.reset(raw);
        tables_.clear();
        tables_.push_back(std::make_unique<VirtualTable>(number_table(std::move(rows)), control_));
        ASSERT_EQ(create_virtual_tables(raw, tables_), SQLITE_OK);
        ASSERT_EQ(sqlite3_exec(raw, "CREATE TABLE stored(x INTEGER)", nullptr, nullptr, nullptr), SQLITE_OK);
    }
    SqliteStatement prepared(const std::string& sql) {
        sqlite3_stmt* raw = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &raw, nullptr), SQLITE_OK) << sql;
        return SqliteStatement(raw);
    }
    GroupPlan plan_of(const std::string& sql) {
        return group_plan(read_loop_program(prepared("EXPLAIN " + counting_by_sum(sql)).get()));
    }
    /// Rows as text: "1,2;-,3", and how the statement ended.
    std::string shown(const std::string& sql, const GroupPlan* plan) {
        const SqliteStatement statement = prepared(counting_by_sum(sql));
        tables_[0]->set_group_plan(plan);
        std::string text;
        int status = sqlite3_step(statement.get());
        tables_[0]->set_group_plan(nullptr);
        for (; status == SQLITE_ROW; status = sqlite3_step(statement.get())) {
            for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
                const bool is_null = sqlite3_column_type(statement.get(), i) == SQLITE_NULL;
                text += is_null ? "-" : std::to_string(sqlite3_column_int64(statement.get(), i));
                text += i + 1 < sqlite3_column_count(statement.get()) ? "," : ";";
            }
        }
        return text + (status == SQLITE_DONE ? "" : sqlite3_errstr(status));
    }
    std::string in_groups(const std::string& sql) {
        const GroupPlan plan = plan_of(sql);
        if (plan.reads.empty()) return "not in groups";
        return shown(sql, &plan);
    }
    std::string row_by_row(const std::string& sql) { return shown(sql, nullptr); }

    QueryControl control_;
    VirtualTables tables_;
    SqliteConnection connection_;
};

TEST_F(Groups, AreToldByWhatIsReadOfEachRow) {
    open({{1, 1}});
    const auto reads = [this](const std::string& sql) { return plan_of(sql).reads; };
    EXPECT_EQ(reads("SELECT count(*) FROM n"), (std::vector<GroupRead>{{Use::sum, k_group_rows}}));
    EXPECT_EQ(reads("SELECT sum(x) + 1, min(k), max(x) FROM n WHERE word LIKE '%7%'"),
              (std::vector<GroupRead>{{Use::sum, 1}, {Use::min, 0}, {Use::max, 1}}));
    EXPECT_EQ(reads("SELECT k, Count ( * ), sum(x) FROM n GROUP BY k HAVING sum(x) > 3 ORDER BY 3 DESC LIMIT 5"),
              (std::vector<GroupRead>{{Use::key, 0}, {Use::sum, k_group_rows}, {Use::sum, 1}, {Use::key, 0}}));
    EXPECT_EQ(plan_of("SELECT max(x) FROM n GROUP BY k").key, 0);
    EXPECT_EQ(plan_of("SELECT sum(x) FROM n WHERE x < :most").key, -1);
}

TEST_F(Groups, WhateverElseIsDoneIsNone) {
    open({{1, 1}});
    for (const char* sql : {"SELECT x FROM n",
                            "SELECT sum(x + 1) FROM n",
                            "SELECT count(DISTINCT x) FROM n",
                            "SELECT count(x) FROM n",
                            "SELECT sum(x) FILTER (WHERE x > 3) FROM n",
                            "SELECT sum(x) FILTER (WHERE NOT k) FROM n GROUP BY k",
                            "SELECT avg(x) FROM n",
                            "SELECT group_concat(x) FROM n",
                            "SELECT sum(x), k FROM n",
                            "SELECT x, sum(x) FROM n GROUP BY k",
                            "SELECT sum(x) FROM n GROUP BY k, x",
                            "SELECT sum(x) FROM n GROUP BY word",
                            "SELECT sum(x) FROM n GROUP BY k % 2",
                            "SELECT sum(x) FROM n GROUP BY rowid",
                            "SELECT sum(x) FROM n WHERE x % 2",
                            "SELECT sum(x) FROM stored",
                            "SELECT sum(n.x) FROM n, stored",
                            "SELECT sum(a.x) FROM n a, n b",
                            "SELECT sum(x) OVER () FROM n",
                            "SELECT k, sum(x) OVER () FROM n GROUP BY k",
                            "SELECT sum(x) FROM n UNION ALL SELECT sum(x) FROM n",
                            "SELECT max(x, 3) FROM n",

                            "SELECT sum(x) FROM n WHERE x = 1 OR k IS NULL",
                            "SELECT sum(x) FROM n WHERE word = '7'",
                            "SELECT sum(CASE WHEN x THEN k END) FROM n",
                            "SELECT DISTINCT k FROM n",
                            "SELECT sum(x) FROM n WHERE x > (SELECT min(x) FROM n)"}) {
        EXPECT_TRUE(plan_of(sql).reads.empty()) << sql;
    }
}

TEST(CountingBySum, ChangesNothingButWhatCountsRows) {
    constexpr const char* k_sum = "coalesce(sum(group_rows), 0)";
    EXPECT_EQ(counting_by_sum("SELECT count(*) FROM t"), fmt::format("SELECT {} FROM t", k_sum));
    EXPECT_EQ(counting_by_sum("SELECT COUNT (\n* ),count(*)FROM t"), fmt::format("SELECT {0},{0}FROM t", k_sum));
    for (const char* same :
         {"SELECT 'count(*)', \"count(*)\", [count(*)], `count(*)`", "SELECT 'it''s count(*)'",
          "SELECT count(x), count(* 1)", "SELECT recount(*), counts(*), count_(*)", "/* count(*) */ SELECT 1 -- count(*)",
          "SELECT count", "SELECT count(*", "SELECT count(*) FROM (SELECT 5 AS Group_Rows)", "'count(*)", ""}) {
        EXPECT_EQ(counting_by_sum(same), same);
    }
}

TEST_F(Groups, NullIsAKeyOfItsOwnAndAddsNothing) {
    open({{2, 5}, {std::nullopt, 7}, {2, std::nullopt}, {-4, std::nullopt}, {std::nullopt, -9}, {10'000'000, 1}});
    EXPECT_EQ(in_groups("SELECT k, count(*), sum(x), min(x), max(x) FROM n GROUP BY k"),
              "-,2,-2,-9,7;-4,1,-,-,-;2,2,5,5,5;10000000,1,1,1,1;");
    EXPECT_EQ(in_groups("SELECT k, count(*) FROM n GROUP BY k ORDER BY k DESC"), "10000000,1;2,2;-4,1;-,2;");
    EXPECT_EQ(in_groups("SELECT count(*), sum(x), min(k) FROM n"), "6,4,-4;");
    EXPECT_EQ(in_groups("SELECT count(*), sum(x), min(k) FROM n WHERE x > 1000"), "0,-,-;");
    EXPECT_EQ(in_groups("SELECT k, count(*) FROM n WHERE x > 1000 GROUP BY k"), "");
    open({});
    EXPECT_EQ(in_groups("SELECT count(*), sum(x), max(x) FROM n"), "0,-,-;");
}

TEST_F(Groups, AreThoseOfSqlite) {
    std::mt19937 random(11);
    const auto below = [&random](std::int64_t limit) {
        return std::uniform_int_distribution<std::int64_t>(0, limit - 1)(random);
    };
    for (const std::int64_t keys : {1, 7, 500, 100'000}) {
        std::vector<std::pair<Number, Number>> rows;
        for (int i = 0; i < 5000; ++i) {
            rows.emplace_back(below(9) == 0 ? Number() : Number(below(keys) * (keys == 500 ? -1'000'003 : 1)),
                              below(5) == 0 ? Number() : Number(below(1'000'000) - 300'000));
        }
        open(std::move(rows));
        for (const std::string where : {"", " WHERE x > 0", " WHERE k > -5 AND x < 1000", " WHERE x IN (3, 70000, 8)",
                                        " WHERE k = 3", " WHERE x IS NULL", " WHERE k IS NULL"}) {
            for (const std::string what :
                 {"sum(x)", "count(*), sum(x) * 2, max(x)", "min(k), max(k), count(*)", "max(x) - min(x)"}) {
                const std::string all = "SELECT " + what + " FROM n" + where;
                EXPECT_EQ(in_groups(all), row_by_row(all)) << all;
                for (const std::string behind :
                     {"", " ORDER BY k DESC", " HAVING count(*) > 2", " ORDER BY count(*), k LIMIT 7 OFFSET 1"}) {
                    const std::string grouped = "SELECT k, k + 1, " + what + " FROM n" + where + " GROUP BY k" + behind;
                    // With one key only SQLite groups nothing, and what comes in several walks it sorts.
                    if (where == " WHERE k = 3" || where.find(" IN ") != std::string::npos) continue;
                    EXPECT_EQ(in_groups(grouped), row_by_row(grouped)) << grouped;
                }
            }
        }
    }
}

TEST_F(Groups, WhatTheyCannotHoldIsLeftToSqlite) {
    const std::string refused = sqlite3_errstr(SQLITE_ABORT);
    constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();
    open({{1, k_most}, {1, 1}, {1, -5}});
    EXPECT_EQ(in_groups("SELECT sum(x) FROM n"), refused);
    EXPECT_EQ(in_groups("SELECT sum(x) FROM n WHERE x < 100"), "-4;");
    EXPECT_EQ(in_groups("SELECT sum(word) FROM n"), refused);
    EXPECT_EQ(in_groups("SELECT k, max(word) FROM n GROUP BY k"), refused);
    std::vector<std::pair<Number, Number>> many;
    for (std::int64_t i = 0; i < (1 << 20) + 1; ++i) many.emplace_back(3 * i, 1);
    open(many);
    EXPECT_EQ(in_groups("SELECT max(s) FROM (SELECT sum(x) AS s FROM n WHERE k > 0 GROUP BY k)").substr(0, 1), "1");
    EXPECT_EQ(in_groups("SELECT k, sum(x) FROM n GROUP BY k LIMIT 1"), refused);
}

class GroupedQueries : public ::testing::Test {
protected:
    /// With one value more, which is of no column, SQLite does it all.
    std::string of_sqlite(const std::string& what, const std::string& from) {
        std::string rows = rows_of(*database_, "SELECT " + what + ", max(7)" + from);
        std::string without;
        while (!rows.empty()) {
            const std::string row = rows.substr(0, rows.find('\n'));
            without += (without.empty() ? "" : "\n") + row.substr(0, row.rfind('|'));
            rows.erase(0, row.size() + 1);
        }
        return without;
    }

    std::shared_ptr<const Snapshot> snapshot_ = random_trace(5, 3000, 70);
    std::shared_ptr<Database> database_ = Database::create(snapshot_, make_timelines(snapshot_)).value();
};

TEST_F(GroupedQueries, AreThoseOfSqlite) {
    for (const std::string what : {"count(*)", "sum(size), count(*)", "min(size), max(alloc_step)", "stack_id, sum(size)",
                                   "sum(kind)", "min(kind)"}) {
        for (const std::string where :
             {"", " WHERE id % 2 = 0", " WHERE size > 500", " WHERE id BETWEEN 40 AND 1700", " WHERE size < 0"}) {
            for (const std::string behind :
                 {"", " GROUP BY stack_id", " GROUP BY size", " GROUP BY free_step ORDER BY 1", " GROUP BY state"}) {
                const std::string from = " FROM allocations" + where + behind;
                if (behind != " GROUP BY stack_id" && what.starts_with("stack_id")) continue;
                EXPECT_EQ(rows_of(*database_, "SELECT " + what + from), of_sqlite(what, from)) << what << from;
            }
        }
    }
    for (const std::string table : {"events", "allocs", "totals", "stacks"})
        EXPECT_EQ(rows_of(*database_, "SELECT count(*) FROM " + table), of_sqlite("count(*)", " FROM " + table)) << table;
}

TEST_F(GroupedQueries, KeepTheirNamesAndTypes) {
    const QueryResult result = database_->run("SELECT count(*), COUNT( * ) AS n, sum(size) FROM events", {}).value();
    EXPECT_EQ(result.columns, (std::vector<std::string>{"count(*)", "n", "sum(size)"}));

    struct Kept final : BatchSink {
        void begin(std::span<const std::string> columns) override { names.assign(columns.begin(), columns.end()); }
        bool batch(RowBatch batch) override {
            batches.push_back(std::move(batch));
            return true;
        }
        std::vector<std::string> names;
        std::vector<RowBatch> batches;
    };
    Kept kept;
    ASSERT_TRUE(run_batches(*database_,
                            "SELECT stack_id, count(*), sum(size) FROM events WHERE size < 0 OR 1 GROUP BY stack_id", {}, 10,
                            nullptr, kept)
                    .ok());
    EXPECT_EQ(kept.names, (std::vector<std::string>{"stack_id", "count(*)", "sum(size)"}));
    Kept parameters;
    const QueryParameter most{"most", std::int64_t{700}};
    ASSERT_TRUE(run_batches(*database_, "SELECT count(*) FROM events WHERE size < :most", std::span(&most, 1), 10, nullptr,
                            parameters)
                    .ok());
    ASSERT_EQ(parameters.batches.size(), 1U);
    EXPECT_EQ(std::to_string(parameters.batches[0].columns[0].integers[0]),
              rows_of(*database_, "SELECT count(*) FROM events WHERE size < 700"));
}

TEST_F(GroupedQueries, TheColumnThatCountsIsHidden) {
    EXPECT_EQ(rows_of(*database_, "SELECT * FROM devices").find("group_rows"), std::string::npos);
    EXPECT_EQ(rows_of(*database_, "SELECT name FROM pragma_table_info('events') WHERE name = 'group_rows'"), "");
    EXPECT_EQ(rows_of(*database_, "SELECT min(group_rows), max(group_rows) FROM events WHERE group_rows = 1"), "1|1");
    EXPECT_EQ(rows_of(*database_, "SELECT count(*) FROM (SELECT size AS group_rows FROM events WHERE id < 3)"), "3");
    EXPECT_EQ(rows_of(*database_, "SELECT count(*) FROM events WHERE group_rows > 1 OR id < 3"), "3");
    EXPECT_EQ(rows_of(*database_, "SELECT group_rows, count(*) FROM devices GROUP BY group_rows ORDER BY group_rows"),
              "1|1");
    EXPECT_EQ(rows_of(*database_, "SELECT group_rows FROM devices ORDER BY group_rows DESC"), "1");
}

TEST_F(GroupedQueries, EndWhenTheyAreStopped) {
    Progress progress;
    progress.request_stop();
    QueryLimits limits;
    limits.progress = &progress;
    EXPECT_EQ(error_of(*database_, "SELECT sum(size) FROM events", limits).code, ErrorCode::cancelled);
}

TEST_F(GroupedQueries, ASumThatIsTooLargeIsSqlitesError) {
    auto snapshot = std::make_shared<Snapshot>();
    DeviceTrace trace;
    for (int i = 0; i < 3; ++i) trace.events.push({Action::alloc, 0x1000, std::uint64_t{1} << 62, 0, k_no_pool, 0, {}, {}});
    snapshot->streams = {0};
    snapshot->devices.push_back(std::move(trace));
    const auto database = *Database::create(snapshot, make_timelines(snapshot));
    EXPECT_EQ(error_of(*database, "SELECT sum(size) FROM events").message, "integer overflow");
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
