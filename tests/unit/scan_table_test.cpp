#include <thread>

#include "core/query/batches.h"
#include "tests/unit/query_fixture.h"

namespace snapviewer::test {
namespace {

/// Keeps all batches and calls `at_batch` after each.
struct Kept final : query::BatchSink {
    void begin(std::span<const std::string> columns) override { names.assign(columns.begin(), columns.end()); }
    bool batch(query::RowBatch batch) override {
        batches.push_back(std::move(batch));
        if (at_batch) at_batch();
        return true;
    }
    std::vector<std::string> names;
    std::vector<query::RowBatch> batches;
    std::function<void()> at_batch;
};

std::shared_ptr<query::Database> database_of_events(std::size_t count) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->streams = {0};
    DeviceTrace trace;
    for (std::size_t i = 0; i < count; ++i) {
        trace.events.push({Action::alloc, 0x1000 + i, i, 0, k_no_pool, i % 5 == 0 ? k_no_time : std::int64_t(i), {}, {}});
    }
    snapshot->devices.push_back(std::move(trace));
    return *query::Database::create(snapshot, make_timelines(snapshot));
}

bool are_equal(const query::BatchColumn& a, const query::BatchColumn& b) {
    return a.type == b.type && a.null_count == b.null_count && a.valid_bits == b.valid_bits && a.integers == b.integers &&
           a.ends == b.ends && a.bytes == b.bytes;
}

TEST(ScanTable, GivesWhatSelectGives) {
    const auto database = make_database();
    std::size_t tables = 0;
    for (const sqlite::TableDoc& table : database->schema()) {
        Kept scanned, selected;
        ASSERT_TRUE(database->scan_table(table.name, nullptr, scanned).ok()) << table.name;
        ASSERT_TRUE(database->run_batches("SELECT * FROM " + table.name, {}, 10, nullptr, selected).ok()) << table.name;
        EXPECT_EQ(scanned.names, selected.names);
        ASSERT_EQ(scanned.batches.size(), selected.batches.size()) << table.name;
        for (std::size_t i = 0; i < scanned.batches.size(); ++i) {
            EXPECT_EQ(scanned.batches[i].row_count, selected.batches[i].row_count) << table.name;
            EXPECT_TRUE(std::ranges::equal(scanned.batches[i].columns, selected.batches[i].columns, are_equal))
                << table.name;
        }
        ++tables;
    }
    EXPECT_GT(tables, 10U);
}

TEST(ScanTable, FillsBatchesWithValuesAndNulls) {
    const auto database = database_of_events(query::k_rows_per_batch + 3);
    Kept kept;
    ASSERT_TRUE(database->scan_table("events", nullptr, kept).ok());
    EXPECT_GE(kept.batches.size(), 2U);
    std::size_t rows = 0;
    std::size_t without_time = 0;
    const auto time = std::ranges::find(kept.names, "time_us") - kept.names.begin();
    for (const query::RowBatch& batch : kept.batches) {
        rows += batch.row_count;
        without_time += batch.columns[static_cast<std::size_t>(time)].null_count;
        EXPECT_LE(batch.row_count, query::k_rows_per_batch);
    }
    EXPECT_EQ(rows, query::k_rows_per_batch + 3);
    EXPECT_EQ(without_time, 13108U);  // rows 0, 5, ..., 65535
}

TEST(ScanTable, EndsWhenItIsStopped) {
    const auto database = database_of_events(4 * query::k_rows_per_batch);
    Progress progress;
    Kept stopped;
    stopped.at_batch = [&progress] { progress.request_stop(); };
    const Status status = database->scan_table("events", &progress, stopped);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::cancelled);
    EXPECT_EQ(stopped.batches.size(), 1U);
}

TEST(ScanTable, RefusesWhatIsNoTableOfOurs) {
    const auto database = make_database();
    for (const char* name : {"", "nowhere", "events; DROP TABLE events", "sqlite_master", "EVENTS"}) {
        Kept kept;
        const Status status = database->scan_table(name, nullptr, kept);
        ASSERT_FALSE(status.ok()) << name;
        EXPECT_EQ(status.error().code, ErrorCode::bad_query) << name;
        EXPECT_TRUE(kept.batches.empty());
    }
}

TEST(StackUse, AddsUpWhatWasAllocated) {
    const auto database = make_database();
    EXPECT_EQ(rows_of(*database, "SELECT id, allocations, allocated_bytes, largest_bytes FROM stacks WHERE allocations > 0"),
              rows_of(*database,
                      "SELECT stack_id, count(*), sum(size), max(size) FROM allocations WHERE stack_id IS NOT NULL "
                      "AND origin <> 'freed' GROUP BY stack_id"));
}

}  // namespace
}  // namespace snapviewer::test
