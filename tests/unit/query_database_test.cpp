#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

#include "core/trace/stack_lines.h"
#include "tests/unit/query_fixture.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

constexpr std::string_view k_endless =
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t";

class QueryDatabase : public ::testing::Test {
protected:
    std::string rows(std::string_view sql) { return rows_of(*database_, sql); }
    Error error(std::string_view sql) { return error_of(*database_, sql); }

    std::shared_ptr<query::Database> database_ = make_database();
};

TEST_F(QueryDatabase, ShowsTheAllocationsOfOneDevice) {
    EXPECT_EQ(rows("SELECT * FROM allocs"),
              "0|50|0|6|-\n"
              "1|100|0|3|a.py:1:f\nb.py:2:g\n"
              "2|200|1|6|??:0:Attention\na.py:1:f\nb.py:2:g");
    database_->set_allocs_device(1);
    EXPECT_EQ(rows("SELECT * FROM allocs"), "0|300|0|1|-");
}

TEST_F(QueryDatabase, ShowsTheAllocationsOfAllDevices) {
    EXPECT_EQ(rows("SELECT * FROM allocations"),
              "0|0|1280|50|0|-|standing|0|-|-|-|-|-|live|-|-|-|-|-|-|-\n"
              "1|0|4096|100|0|(1, 2)|alloc|0|3|1001|1004|1|4|freed|0|-|step 1|-|N/A|-|-\n"
              "2|0|8192|200|0|(1, 2)|alloc|1|-|1002|-|2|-|live|1|-|-|-|-|-|-\n"
              "3|3|-9223372036854775792|300|0|(1, 2)|alloc|0|-|-|-|6|-|live|-|-|-|-|-|-|-");
}

TEST_F(QueryDatabase, ShowsEvents) {
    EXPECT_EQ(rows("SELECT id, device, action, address, size, device_free, stream, pool, time_us, stack_id FROM events"),
              "0|0|segment_alloc|4096|4096|-|0|(0, 0)|1000|-\n"
              "1|0|alloc|4096|100|-|0|(0, 0)|1001|0\n"
              "2|0|alloc|8192|200|-|0|(0, 0)|1002|1\n"
              "3|0|free_requested|4096|100|-|0|(0, 0)|1003|0\n"
              "4|0|free_completed|4096|100|-|0|(0, 0)|1004|0\n"
              "5|0|oom|-|999|7|77|-|1005|1\n"
              "6|3|alloc|-9223372036854775792|300|-|0|(0, 0)|-|-");
    EXPECT_EQ(
        rows("SELECT id, user_metadata, compile_context, internal_metadata FROM events WHERE user_metadata IS NOT NULL"),
        "1|step 1|N/A|-");
}

TEST_F(QueryDatabase, ShowsStacksAndFrames) {
    EXPECT_EQ(rows("SELECT id, depth FROM stacks"), "0|2\n1|3");
    EXPECT_EQ(rows("SELECT id, top_frame FROM stacks"), "0|f@a.py:1\n1|f@a.py:1") << "?? is nobody's own code";
    EXPECT_EQ(rows("SELECT key FROM stacks"),
              key_text(fnv1a("a.py:1:f\nb.py:2:g")) + "\n" + key_text(fnv1a("??:0:Attention\na.py:1:f\nb.py:2:g")));
    EXPECT_EQ(rows("SELECT id FROM stacks WHERE top_frame LIKE 'F@A%'"), "0\n1");
    EXPECT_EQ(rows("SELECT * FROM stack_frames"), "0|0|0\n0|1|1\n1|0|2\n1|1|0\n1|2|1");
    EXPECT_EQ(rows("SELECT * FROM frames"),
              "0|a.py|1|f|1|-|a.py:1:f\n1|b.py|2|g|1|-|b.py:2:g\n2|??|-|Attention|0|-|??:0:Attention");
    EXPECT_EQ(rows("SELECT depth, frame_id FROM stack_frames WHERE stack_id = 1 AND depth > 0"), "1|0\n2|1");
}

TEST_F(QueryDatabase, ShowsTheRest) {
    EXPECT_EQ(rows("SELECT * FROM segments"), "0|0|4096|4096|512|512|200|77|(1, 2)|small|1|1|3584|3584|1");
    EXPECT_EQ(rows("SELECT * FROM blocks"), "0|0|0|4096|3584|-|inactive|-\n1|0|0|8192|512|200|active_allocated|1");
    EXPECT_EQ(rows("SELECT * FROM devices"), "0|-|-|4103|6|3|6|350|0|1|250|8\n3|-|-|-|1|1|1|300|0|0|300|2");
    EXPECT_EQ(rows("SELECT * FROM annotations"), "0|0|## forward ##|START|1001");
    EXPECT_EQ(rows("SELECT * FROM settings"), "max_split_size|-1\nexpandable_segments|true");
    EXPECT_EQ(rows("SELECT * FROM import_log"), "info|standing_blocks|1 block was there before|1|-");
}

TEST_F(QueryDatabase, ShowsWhatFollowsFromTheRest) {
    // 350 bytes are live from the second alloc on, which is event 2. The oom comes after the last free, and so at the right
    // edge. At that time the segment of 4096 bytes was reserved, and the only allocation with an address in it had been
    // freed.
    EXPECT_EQ(rows("SELECT * FROM markers"),
              "0|peak|peak: 350 B|1|1002|2|350|-|-|-|-|-\n"
              "0|oom|out of memory: 999 B requested|6|1005|5|999|7|4096|4096|4096|0\n"
              "3|peak|peak: 300 B|0|-|6|300|-|-|-|-|-");
    // The first alloc, 1 us after the first event, is at step 0.
    EXPECT_EQ(rows("SELECT * FROM ranges"), "0|0|## forward ##|0|1001|-|0|-");
    EXPECT_EQ(rows("SELECT * FROM pools"), "0|(1, 2)|1|1|4096|512|512|1|3584|3584");
    EXPECT_EQ(rows("SELECT * FROM pending_frees"), "") << "the free was completed at once";
    EXPECT_EQ(rows("SELECT * FROM streams"), "0|0\n77|1");
    EXPECT_EQ(rows("SELECT compile_context FROM allocations WHERE id = 1"), "N/A");
}

// Before the first alloc the segment did not exist yet; device 3 has no segments in the file.
TEST_F(QueryDatabase, TotalsUndoSegmentEvents) {
    EXPECT_EQ(rows("SELECT * FROM totals"),
              "0|0|50|0\n0|0|150|4096\n0|1|350|4096\n0|3|250|4096\n0|6|250|4096\n"
              "3|0|0|-\n3|0|300|-\n3|1|300|-");
}

TEST_F(QueryDatabase, ComparesIntegersAsSqliteDoes) {
    const std::string list = "(VALUES (50), (100), (200), (300))";
    for (const char* value :
         {"100", "100.0", "99.5", "-1", "1e300", "-1e300", "9223372036854775807", "-9223372036854775808", "NULL", "'100'",
          "'x'", "x'00'", "9223372036854775808.0", "-9223372036854775808.0", "'1e2'", "''"}) {
        for (const char* comparison : {"=", "<", "<=", ">", ">=", "<>", "IS", "IS NOT"}) {
            const std::string where = std::string(" size ") + comparison + " " + value;
            const std::string expected =
                "SELECT size FROM (SELECT CAST(column1 AS INTEGER) AS size FROM " + list + ") WHERE" + where;
            EXPECT_EQ(rows("SELECT size FROM allocations WHERE" + where), rows(expected)) << where;
            EXPECT_EQ(rows("SELECT id FROM allocations WHERE id IN (SELECT id FROM allocations WHERE" + where + ")"),
                      rows("SELECT id FROM allocations WHERE +size IN (" + expected + ")"))
                << where;
        }
    }
    EXPECT_EQ(rows("SELECT count(*) FROM allocations WHERE address < 0"), "1");
    EXPECT_EQ(rows("SELECT id FROM allocations WHERE free_step IS NULL AND size BETWEEN 100 AND 250"), "2");
    EXPECT_EQ(rows("SELECT id FROM allocations WHERE free_step IS NOT NULL"), "1");
    EXPECT_EQ(rows("SELECT id FROM allocations WHERE size > 60 AND size = 100 AND size < 150"), "1");
    EXPECT_EQ(rows("SELECT id FROM allocations WHERE size IN (300, 50, 7) ORDER BY id"), "0\n3");
}

TEST_F(QueryDatabase, ComparesRowNumbers) {
    EXPECT_EQ(rows("SELECT size FROM allocations WHERE id = 2"), "200");
    EXPECT_EQ(rows("SELECT size FROM allocations WHERE rowid = 2"), "200");
    EXPECT_EQ(rows("SELECT id FROM allocations WHERE id >= 1 AND id < 3"), "1\n2");
    EXPECT_EQ(rows("SELECT id FROM allocations WHERE id > 2.5"), "3");
    for (const char* none : {"-1", "4", "1.5", "NULL", "'x'", "9223372036854775807", "-9223372036854775808"}) {
        EXPECT_EQ(rows(std::string("SELECT id FROM allocations WHERE id = ") + none), "") << none;
    }
    EXPECT_EQ(rows("SELECT id FROM events WHERE device > 0"), "6");
    EXPECT_EQ(rows("SELECT id FROM events WHERE device = 0 AND id > 4"), "5");
    EXPECT_EQ(rows("SELECT count(*) FROM events WHERE device IS NULL OR device < 0 OR device = 2"), "0");
}

TEST_F(QueryDatabase, MatchesTextsAsSqliteDoes) {
    EXPECT_EQ(rows("SELECT idx FROM allocs WHERE callstack LIKE '%aTTentio_%'"), "2");
    EXPECT_EQ(rows("SELECT idx FROM allocs WHERE callstack GLOB '*attention*'"), "");
    EXPECT_EQ(rows("SELECT idx FROM allocs WHERE callstack GLOB '*Attention*'"), "2");
    EXPECT_EQ(rows("SELECT idx FROM allocs WHERE callstack NOT LIKE '%Attention%'"), "1");
    EXPECT_EQ(rows("SELECT idx FROM allocs WHERE callstack LIKE NULL"), "");
    EXPECT_EQ(rows("SELECT idx FROM allocs WHERE callstack IS NULL"), "0");
    EXPECT_EQ(rows("SELECT idx FROM allocs WHERE callstack LIKE '%!?%' ESCAPE '!'"), "2");
    EXPECT_EQ(rows("SELECT id FROM allocations WHERE state = 'freed'"), "1");
    EXPECT_EQ(rows("SELECT id FROM allocations WHERE state = 'FREED'"), "");
    EXPECT_EQ(rows("SELECT id FROM allocations WHERE state = 'FREED' COLLATE NOCASE"), "1");
    EXPECT_EQ(rows("SELECT id FROM allocations WHERE state IN ('freed', 'live') AND size < 150 ORDER BY id"), "0\n1");
    EXPECT_EQ(rows("SELECT key FROM settings WHERE value = -1"), "max_split_size");
    EXPECT_EQ(rows("SELECT key FROM settings WHERE value LIKE -1"), "max_split_size");
}

TEST_F(QueryDatabase, OrdersByOneColumn) {
    EXPECT_EQ(rows("SELECT id FROM allocations ORDER BY size DESC LIMIT 2"), "3\n2");
    EXPECT_EQ(rows("SELECT id FROM allocations ORDER BY address"), "3\n0\n1\n2");
    EXPECT_EQ(rows("SELECT id FROM allocations ORDER BY alloc_time_us, id"), "0\n3\n1\n2");
    EXPECT_EQ(rows("SELECT id FROM allocations ORDER BY alloc_time_us DESC, id"), "2\n1\n0\n3");
    EXPECT_EQ(rows("SELECT alloc_time_us FROM allocations ORDER BY alloc_time_us"), "-\n-\n1001\n1002");
    EXPECT_EQ(rows("SELECT alloc_time_us FROM allocations ORDER BY alloc_time_us DESC"), "1002\n1001\n-\n-");
    EXPECT_EQ(rows("SELECT alloc_time_us FROM allocations ORDER BY alloc_time_us NULLS LAST"), "1001\n1002\n-\n-");
    EXPECT_EQ(rows("SELECT id FROM allocations ORDER BY id DESC"), "3\n2\n1\n0");
    EXPECT_EQ(rows("SELECT origin, count(*) FROM allocations GROUP BY origin ORDER BY 1"), "alloc|3\nstanding|1");
    EXPECT_EQ(rows("SELECT DISTINCT alloc_step FROM allocations ORDER BY 1"), "0\n1");
}

TEST(QueryOrder, TheFirstRowsAreThoseOfSqlitesOwnOrder) {
    // The unary plus hides the column from our own ordering, so that SQLite sorts these rows itself.
    const auto snapshot = random_trace(3, 900, 70);
    const std::shared_ptr<query::Database> open = query::Database::create(snapshot, make_timelines(snapshot)).value();
    query::Database& database = *open;
    for (const std::string column : {"size", "free_step", "stream", "id"}) {
        for (const std::string direction : {"", " DESC", " DESC NULLS FIRST"}) {
            for (const std::string where :
                 {"", " WHERE size > 500", " WHERE state = 'freed'", " WHERE size % 3 = 0", " WHERE free_step IS NULL"}) {
                for (const std::string limit : {"0", "1", "7", "100", "899", "5000", "-1", "5 OFFSET 3", "200 OFFSET 700"}) {
                    const std::string from = "SELECT id, " + column + " FROM allocations" + where + " ORDER BY ";
                    ASSERT_EQ(rows_of(database, from + column + direction + " LIMIT " + limit),
                              rows_of(database, from + "+" + column + direction + ", id LIMIT " + limit))
                        << from << column << direction << " LIMIT " << limit;
                }
            }
        }
    }
}

/// Sorts few distinct values, many values, values of all 64 bits, and rows in the worst order for a limit, in which each row
/// comes before all earlier ones.
TEST(QueryOrder, OfManyRowsIsSqlitesOwn) {
    TraceBuilder trace;
    trace.raw().streams = {0, 0x5550, 0x7770};
    trace.raw().stream_numbers = {0, 1, 2};
    std::mt19937_64 random(7);
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        const std::uint64_t address = random(), size_bytes = 1 + random() % 6000;
        trace.alloc(address, size_bytes).on_stream(static_cast<std::uint16_t>(random() % 3));
        if (random() % 3 != 0) trace.free(address, size_bytes);
    }
    const auto snapshot = trace.build();
    const std::shared_ptr<query::Database> database = query::Database::create(snapshot, make_timelines(snapshot)).value();
    for (const std::string column : {"stream", "size", "address", "free_step", "alloc_step"}) {
        for (const std::string direction : {"", " DESC"}) {
            for (const std::string limit : {"1", "2500", "-1"}) {
                const std::string from = "SELECT id FROM allocations ORDER BY ";
                ASSERT_TRUE(rows_of(*database, from + column + direction + " LIMIT " + limit) ==
                            rows_of(*database, from + "+" + column + direction + ", id LIMIT " + limit))
                    << column << direction << " LIMIT " << limit;
            }
        }
    }
}

TEST_F(QueryDatabase, JoinsTables) {
    EXPECT_EQ(rows("SELECT a.id, s.depth FROM allocations a JOIN stacks s ON s.id = a.stack_id ORDER BY a.id"), "1|2\n2|3");
    EXPECT_EQ(rows("SELECT a.id, s.depth FROM allocations a LEFT JOIN stacks s ON s.id = a.stack_id ORDER BY a.id"),
              "0|-\n1|2\n2|3\n3|-");
    EXPECT_EQ(
        rows("SELECT a.id, e.id FROM events e JOIN allocations a ON a.address = e.address WHERE e.action LIKE 'free%'"),
        "1|3\n1|4");
    // Each row of `events` searches the same column, so that the column gets sorted during the query.
    EXPECT_EQ(rows("SELECT e.id, (SELECT group_concat(a.id) FROM allocations a WHERE a.address = e.address) FROM events e"),
              "0|1\n1|1\n2|2\n3|1\n4|1\n5|-\n6|3");
    EXPECT_EQ(rows("SELECT a.id FROM allocations a LEFT JOIN events e ON e.id = a.free_event WHERE e.id IS NULL"),
              "0\n2\n3");
}

TEST_F(QueryDatabase, LooksUpTheDeviceShown) {
    const char* sql =
        "SELECT v.column1, (SELECT count(*) FROM allocs WHERE size = v.column1) FROM "
        "(VALUES (50), (100), (200), (300), (50)) AS v";
    EXPECT_EQ(rows(sql), "50|1\n100|1\n200|1\n300|0\n50|1");
    database_->set_allocs_device(1);
    EXPECT_EQ(rows(sql), "50|0\n100|0\n200|0\n300|1\n50|0");
}

TEST_F(QueryDatabase, HasFunctionsOfItsOwn) {
    EXPECT_EQ(rows("SELECT human(1572864), human(-1572864), human(NULL), address(-9223372036854775792)"),
              "1.5 MiB|-1.5 MiB|-|0x8000000000000010");
    EXPECT_EQ(rows("SELECT wall_clock(1000000)"), "1970-01-01 00:00:01.000000");
}

TEST_F(QueryDatabase, BlobsComeAsHexadecimalText) { EXPECT_EQ(rows("SELECT x'00ff', 1.5"), "00ff|1.500000"); }

TEST_F(QueryDatabase, RefusesToWrite) {
    const auto folder = std::filesystem::temp_directory_path();
    const std::string file = (folder / "snapviewer_must_not_exist.db").string();
    std::filesystem::remove(file);
    for (const std::string& sql :
         {std::string("DELETE FROM allocations"), std::string("UPDATE allocations SET size = 0"),
          std::string("DROP TABLE allocs"), std::string("INSERT INTO settings VALUES ('a', 'b')"),
          std::string("CREATE TABLE t (a)"), std::string("CREATE TEMP TABLE t (a)"), "ATTACH '" + file + "' AS other",
          "VACUUM INTO '" + file + "'", std::string("VACUUM"), std::string("BEGIN"),
          std::string("PRAGMA journal_mode = WAL"), std::string("PRAGMA query_only = 0"),
          std::string("SELECT load_extension('x')"), std::string("SAVEPOINT a"), std::string("ANALYZE"),
          std::string("REINDEX"), std::string("CREATE VIRTUAL TABLE t USING snapviewer"),
          std::string("EXPLAIN DROP TABLE allocs")}) {
        const Error refused = error(sql);
        EXPECT_EQ(refused.code, ErrorCode::bad_query) << sql;
        EXPECT_NE(refused.message, "") << sql;
    }
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_EQ(rows("SELECT count(*) FROM allocations"), "4");
}

TEST_F(QueryDatabase, TellsItsSchema) {
    EXPECT_EQ(rows("SELECT name, type FROM pragma_table_info('allocs')"),
              "idx|INTEGER\nsize|INTEGER\nstart_time|INTEGER\nend_time|INTEGER\ncallstack|TEXT");
    EXPECT_EQ(rows("SELECT value FROM json_each('[4, 5]')"), "4\n5");
    EXPECT_EQ(rows("SELECT count(*) FROM sqlite_schema"), std::to_string(database_->schema().size()));
    EXPECT_NE(rows("PRAGMA table_info(allocations)").find("alloc_step|INTEGER"), std::string::npos);
    for (const sqlite::TableDoc& table : database_->schema()) {
        const auto result = database_->run("SELECT * FROM " + table.name, {});
        ASSERT_TRUE(result.ok()) << table.name << ": " << result.error().text();
        ASSERT_EQ(result->columns.size(), table.columns.size());
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            EXPECT_EQ(result->columns[i], table.columns[i].name);
            EXPECT_NE(table.columns[i].text, "") << table.name << "." << table.columns[i].name;
        }
    }
}

TEST_F(QueryDatabase, SaysWhatIsWrongAndWhere) {
    const Error column = error("SELECT id, colour FROM allocations");
    EXPECT_EQ(column.code, ErrorCode::bad_query);
    EXPECT_NE(column.message.find("colour"), std::string::npos) << column.message;
    EXPECT_EQ(column.offset, 11);
    EXPECT_EQ(error(" ;\n;SELECT id FRM allocations").offset, 18);
    for (const char* empty : {"", " ; -- nothing\n/* at all */ ;"}) {
        EXPECT_EQ(error(empty).code, ErrorCode::bad_query) << empty;
        EXPECT_EQ(error(empty).offset, std::nullopt) << empty;
    }
    EXPECT_EQ(error("SELECT 1; SELECT 2").offset, 10);
    EXPECT_EQ(error("SELECT 1; nonsense").code, ErrorCode::bad_query);
    EXPECT_EQ(error(std::string_view("SELECT 1\0 SELECT 2", 18)).offset, 8);
    EXPECT_EQ(rows("SELECT 1 ;; -- one\n /* two */ ;\n"), "1");
}

TEST_F(QueryDatabase, StopsAtTheLimitOfRows) {
    const auto two = database_->run("SELECT id FROM events", {.max_rows = 2});
    ASSERT_TRUE(two.ok());
    EXPECT_EQ(two->row_count(), 2);
    EXPECT_TRUE(two->truncated);
    const auto all = database_->run("SELECT id FROM events", {.max_rows = 7});
    EXPECT_EQ(all->row_count(), 7);
    EXPECT_FALSE(all->truncated);
    const auto few_bytes = database_->run("SELECT text FROM stacks, events", {.max_bytes = 60});
    EXPECT_TRUE(few_bytes->truncated);
    EXPECT_LT(few_bytes->row_count(), 5);
}

TEST_F(QueryDatabase, StopsAtTheLimitOfTime) {
    const Error late = error_of(*database_, k_endless, {.max_seconds = 0.05});
    EXPECT_EQ(late.code, ErrorCode::bad_query);
    EXPECT_NE(late.message.find(" 0.05 s"), std::string::npos) << late.message;
    EXPECT_EQ(rows("SELECT 1"), "1");
}

TEST_F(QueryDatabase, StopsWhenAsked) {
    Progress progress;
    std::jthread asking([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        progress.request_stop();
    });
    const Error stopped = error_of(*database_, k_endless, {.progress = &progress});
    EXPECT_EQ(stopped.code, ErrorCode::cancelled);
    EXPECT_EQ(error_of(*database_, k_endless, {.progress = &progress}).code, ErrorCode::cancelled) << "before it begins";
    EXPECT_EQ(rows("SELECT 1"), "1");
}

TEST_F(QueryDatabase, SaysWhereAColumnComesFrom) {
    const auto origins = [&](const std::string& sql) {
        const auto result = database_->run(sql, {});
        return result ? result->origins : std::vector<query::ColumnOrigin>();
    };
    const query::ColumnOrigin id{"allocations", "id"};
    EXPECT_EQ(origins("SELECT size + 1, id AS victim FROM Allocations a"), (std::vector<query::ColumnOrigin>{{}, id}));
    EXPECT_EQ(origins("SELECT e.id, x.id FROM events e, (SELECT id FROM allocations) x"),
              (std::vector<query::ColumnOrigin>{{"events", "id"}, id}));
    EXPECT_EQ(origins("WITH w AS (SELECT id FROM allocations ORDER BY size LIMIT 3) SELECT * FROM w"),
              (std::vector<query::ColumnOrigin>{id}));
    EXPECT_EQ(origins("SELECT max(id) AS id FROM allocations"), (std::vector<query::ColumnOrigin>{{}}));
}

TEST_F(QueryDatabase, HandsOutRowsUntilTheSinkHasEnough) {
    struct FirstTwo final : query::RowSink {
        bool begin(std::span<const std::string> columns) override { return columns.size() == 1; }
        bool row(std::span<const Cell> cells) override {
            ids.push_back(std::get<std::int64_t>(cells[0]));
            return ids.size() < 2;
        }
        std::vector<std::int64_t> ids;
    } sink;
    EXPECT_TRUE(database_->run_each("SELECT id FROM events", 1, nullptr, sink).ok());
    EXPECT_EQ(sink.ids, (std::vector<std::int64_t>{0, 1}));
}

TEST(QueryEmptyDatabase, HasTablesWithoutRows) {
    const auto database = query::Database::create(std::make_shared<Snapshot>(), {});
    ASSERT_TRUE(database.ok());
    for (const sqlite::TableDoc& table : (*database)->schema()) {
        EXPECT_EQ(rows_of(**database, "SELECT count(*) FROM " + table.name), "0") << table.name;
    }
}

TEST(QueryRows, CountDevicesThrough) {
    const auto snapshot = make_snapshot();
    EXPECT_EQ(query::first_allocation_row(*snapshot, 0), 0);
    EXPECT_EQ(query::first_allocation_row(*snapshot, 1), 3);
}

}  // namespace
}  // namespace snapviewer::test
