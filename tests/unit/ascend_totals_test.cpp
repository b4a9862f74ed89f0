// Tests with a table of totals that is long enough to be read in parts by two threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "core/base/context.h"
#include "core/load/bytes/sources.h"
#include "core/load/profilers/ascend/records.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer::profilers::ascend {
namespace {

constexpr std::int64_t k_first_ns = 1'000'000;

/// SQL for a table of 200,000 rows that alternate between PTA and PTA+GE, one nanosecond apart.
std::string long_table(const std::string& columns) {
    return R"(
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO STRING_IDS VALUES (5, 'PTA'), (6, 'PTA+GE');
CREATE TABLE MEMORY_RECORD ()" +
           columns + R"(component INTEGER, timestamp INTEGER, totalAllocated INTEGER, totalReserved INTEGER,
  totalActive INTEGER, deviceId INTEGER);
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199999)
INSERT INTO MEMORY_RECORD (component, timestamp, totalAllocated, totalReserved, totalActive, deviceId)
SELECT 5 + i % 2, 1000000 + i, 3 * i, 5 * i, 7 * i, 2 FROM n;
)";
}

class AscendTotals : public testing::Test {
protected:
    void write(const std::string& sql) { const WrittenDatabase written(path(), sql.c_str()); }
    std::string path() { return folder_.file("totals.db"); }

    MemoryRows read() {
        const auto file = sqlite::SqliteFile::open(path());
        EXPECT_TRUE(file.ok());
        return read_memory_rows(**file, snapshot_);
    }

    static void expect_all(MemoryRows& rows, std::int64_t count) {
        for (const Component component : {Component::pta, Component::pta_ge}) {
            const std::vector<TotalsRow>& totals = rows.devices[2].of(component);
            ASSERT_EQ(totals.size(), static_cast<std::size_t>(count) / 2);
            std::int64_t i = component == Component::pta ? 0 : 1;
            for (const TotalsRow& row : totals) {
                ASSERT_EQ(row.time_ns, k_first_ns + i);
                ASSERT_EQ(row.allocated, 3 * i);
                ASSERT_EQ(row.reserved, 5 * i);
                ASSERT_EQ(row.active, 7 * i);
                i += 2;
            }
        }
    }

    TestFolder folder_;
    Snapshot snapshot_;
};

TEST_F(AscendTotals, EveryRowIsReadOnceInItsOrder) {
    write(long_table(""));
    MemoryRows rows = read();
    expect_all(rows, 200'000);
    EXPECT_EQ(rows.first_ns, k_first_ns);
}

TEST_F(AscendTotals, RowsWhoseNumbersAreHiddenAreReadAsWell) {
    write(long_table("rowid TEXT, "));
    MemoryRows rows = read();
    expect_all(rows, 200'000);
}

TEST_F(AscendTotals, NumbersMayBeAsFarApartAsTheyCan) {
    write(long_table("") +
          "INSERT INTO MEMORY_RECORD (rowid, component, timestamp, totalAllocated, totalReserved, totalActive, deviceId) "
          "VALUES (-9223372036854775808, 5, 17, -1, -1, -1, 2), (9223372036854775807, 5, 1200000, 1, 2, 3, 2)");
    MemoryRows rows = read();
    const std::vector<TotalsRow>& totals = rows.devices[2].of(Component::pta);
    ASSERT_EQ(totals.size(), 100'002U);
    EXPECT_EQ(totals.front().time_ns, 17);
    EXPECT_EQ(totals.back().allocated, 1);
    EXPECT_EQ(rows.first_ns, 17);
}

TEST_F(AscendTotals, NothingBehindADamagedPlaceIsRead) {
    write(long_table(""));
    {
        std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(0, std::ios::end);
        file.seekp(file.tellg() / 2 / 4096 * 4096);
        file << std::string(4096, '\xA5');
    }
    std::int64_t readable = 0;
    {
        const auto file = sqlite::SqliteFile::open(path());
        ASSERT_TRUE(file.ok());
        auto one_by_one = (*file)->query("SELECT timestamp FROM MEMORY_RECORD");
        ASSERT_TRUE(one_by_one.ok());
        while (one_by_one->next()) ++readable;
        ASSERT_FALSE(one_by_one->status().ok());
    }
    ASSERT_GT(readable, 50'000);
    ASSERT_LT(readable, 150'000);
    MemoryRows rows = read();
    const auto& devices = rows.devices[2];
    EXPECT_EQ(static_cast<std::int64_t>(devices.totals[0].size() + devices.totals[1].size() + devices.totals[2].size()),
              readable);
    EXPECT_TRUE(std::ranges::any_of(snapshot_.log.entries(),
                                    [](const auto& entry) { return entry.code == "table_cut:MEMORY_RECORD"; }));
}

TEST_F(AscendTotals, CurvesThatChangeTogetherHaveTheirTimesInMemoryOnce) {
    write(long_table(""));
    const auto file = sqlite::SqliteFile::open(path());
    ASSERT_TRUE(file.ok());
    MemoryRows rows = read_memory_rows(**file, snapshot_);
    const std::vector<Series> series = memory_series(**file, 2, rows.devices[2], snapshot_.log);
    ASSERT_EQ(series.size(), 3U);
    EXPECT_EQ(series[1].time_us.size(), 100'000U);
    EXPECT_EQ(series[1].time_us.begin(), series[0].time_us.begin());
    EXPECT_NE(series[1].values.begin(), series[0].values.begin());
    EXPECT_EQ(series[1].values[1], 7.0 * 3);
}

TEST_F(AscendTotals, ReadingStops) {
    write(long_table(""));
    const auto file = sqlite::SqliteFile::open(path());
    ASSERT_TRUE(file.ok());
    Progress progress;
    progress.request_stop();
    const ContextScope scope{Context(progress)};
    EXPECT_THROW(read_memory_rows(**file, snapshot_), Failure);
}

}  // namespace
}  // namespace snapviewer::profilers::ascend
