#include "core/query/database.h"

#include <algorithm>

#include "tests/unit/query_fixture.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

/// A database with one allocation of 77 bytes and one of 200 bytes, as in the fixture.
std::shared_ptr<query::Database> make_other_database() {
    TraceBuilder trace;
    trace.alloc(0x5000, 77);
    trace.alloc(0x6000, 200);
    auto timeline = std::make_shared<const Timeline>(lay_out(trace.build()));
    const std::shared_ptr<const Snapshot> snapshot(timeline, &timeline->snapshot());
    return query::Database::create(snapshot, {timeline}).value();
}

class JointDatabase : public ::testing::Test {
protected:
    std::string rows(std::string_view sql) { return rows_of(*both_, sql); }

    std::shared_ptr<query::Database> a_ = make_database();
    std::shared_ptr<query::Database> b_ = make_other_database();
    std::shared_ptr<query::Database> both_ = a_->joined_with(*b_, "b.pickle", 0).value();
};

TEST_F(JointDatabase, EachFileHasItsName) {
    EXPECT_EQ(rows("SELECT size FROM a.allocations ORDER BY id"), "50\n100\n200\n300");
    EXPECT_EQ(rows("SELECT size FROM b.allocations ORDER BY id"), "77\n200");
    EXPECT_EQ(rows("SELECT size FROM allocations ORDER BY id"), rows("SELECT size FROM a.allocations ORDER BY id"));
    EXPECT_EQ(rows("SELECT x.id, y.id FROM a.allocations x JOIN b.allocations y ON x.size = y.size"), "2|1");
    EXPECT_EQ(rows("SELECT size FROM a.allocations EXCEPT SELECT size FROM b.allocations ORDER BY 1"), "50\n100\n300");
}

TEST_F(JointDatabase, ItKeepsBothFiles) {
    a_.reset();
    b_.reset();
    EXPECT_EQ(rows("SELECT (SELECT count(*) FROM a.events), (SELECT count(*) FROM b.events)"), "7|2");
}

TEST_F(JointDatabase, TheDeviceOfAllocsIsAs) {
    both_->set_allocs_device(1);
    for (const char* table : {"allocs", "a.allocs"})
        EXPECT_EQ(rows(std::string("SELECT size FROM ") + table), "300") << table;
    EXPECT_EQ(rows("SELECT size FROM b.allocs"), "77\n200");
}

TEST_F(JointDatabase, ARowOfALeadsToItsAllocationAndOneOfBDoesNot) {
    const auto result = both_->run("SELECT x.id, y.id FROM a.allocations x, b.allocations y LIMIT 1", {});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->origins, (std::vector<query::ColumnOrigin>{{"allocations", "id"}, {"b.allocations", "id"}}));
}

TEST_F(JointDatabase, TheTablesOfBAreDescribedOnceMore) {
    const auto described = [&](const std::string& name) {
        return std::ranges::count(both_->schema(), name, &sqlite::TableDoc::name);
    };
    for (const sqlite::TableDoc& table : a_->schema()) {
        EXPECT_EQ(described(table.name), 1);
        EXPECT_EQ(described("b." + table.name), 1);
        EXPECT_EQ(rows("SELECT count(*) >= 0 FROM b." + table.name), "1");
    }
    EXPECT_EQ(both_->schema().back().schema, "b");
    EXPECT_EQ(both_->schema().back().file, "b.pickle");
}

TEST_F(JointDatabase, ItIsAsClosedAndAsBoundedAsAnyOther) {
    for (const char* sql : {"DELETE FROM b.allocations", "CREATE TABLE b.t(x)", "ATTACH ':memory:' AS c", "DETACH b"})
        EXPECT_EQ(error_of(*both_, sql).code, ErrorCode::bad_query) << sql;
    const Error error = error_of(*both_,
                                 "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) "
                                 "SELECT count(*) FROM t, b.allocations",
                                 {.max_seconds = 0.05});
    EXPECT_EQ(error.code, ErrorCode::bad_query);
    EXPECT_NE(error.message.find("0.05 s"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace snapviewer::test
