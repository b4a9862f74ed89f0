#include <gtest/gtest.h>

#include "core/base/context.h"
#include "core/exports/database_file.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

using Row = std::vector<Cell>;
const std::vector<std::string> k_columns = {"number", "half", "text", "empty"};

Row row_of(std::int64_t number, std::size_t text_bytes = 3) {
    return {number, static_cast<double>(number) / 2, std::string(text_bytes, static_cast<char>('a' + number % 26)), Cell()};
}

/// A new database with an empty table, and the TableCopier that fills it.
struct FilledTable {
    explicit FilledTable(const std::string& filled = "rows") : copier(begin(), filled) {}

    const exports::DatabaseFile& begin() {
        file.begin(folder.file("out.db"));
        file.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, half REAL, text TEXT, empty TEXT)");
        return file;
    }

    /// The first value that SQLite returns for a query.
    std::string asked(const std::string& sql) const {
        sqlite3_stmt* raw = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(file.connection(), sql.c_str(), -1, &raw, nullptr), SQLITE_OK);
        const sqlite::SqliteStatement statement(raw);
        EXPECT_EQ(sqlite3_step(raw), SQLITE_ROW);
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
        return text == nullptr ? "NULL" : text;
    }

    TestFolder folder;
    exports::DatabaseFile file;
    exports::TableCopier copier;
};

class CopiedRows : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(CopiedRows, AreAllInTheFileInTheirOrder) {
    FilledTable table;
    table.copier.begin(k_columns);
    for (std::int64_t i = 0; i < GetParam(); ++i) table.copier.row(row_of(i));
    table.copier.finish();
    table.file.commit();
    const std::string count = std::to_string(GetParam());
    EXPECT_EQ(table.asked("SELECT count(*) FROM rows"), count);
    EXPECT_EQ(table.asked("SELECT count(*) FROM rows WHERE half = number / 2.0 AND typeof(half) = 'real' AND empty IS NULL "
                          "AND text = replace(printf('%3s', ''), ' ', char(97 + number % 26))"),
              count);
    EXPECT_EQ(table.asked("SELECT count(*) FROM rows WHERE number >= " + count), "0");
}

// Counts around the number of rows per statement and per batch.
INSTANTIATE_TEST_SUITE_P(Counts, CopiedRows, ::testing::Values(0, 1, 31, 32, 33, 65, 4095, 4096, 4097, 8192, 10'000));

TEST(TableCopier, TakesLongTextsInSmallerBlocks) {
    FilledTable table;
    table.copier.begin(k_columns);
    constexpr std::int64_t k_rows = 50;
    constexpr std::size_t k_text_bytes = 1'000'000;
    for (std::int64_t i = 0; i < k_rows; ++i) table.copier.row(row_of(i, i % 7 == 0 ? 1 : k_text_bytes));
    table.copier.finish();
    table.file.commit();
    EXPECT_EQ(table.asked("SELECT sum(length(text)) FROM rows"), "42000008");
}

TEST(TableCopier, SaysThatARowCouldNotBePutIn) {
    for (const std::int64_t bad : {0, 100, 4000, 9000}) {
        FilledTable table;
        const Status copied = caught([&] {
            table.copier.begin(k_columns);
            for (std::int64_t i = 0; i < 20'000; ++i) table.copier.row(row_of(i == bad + 1 ? bad : i));
            table.copier.finish();
        });
        ASSERT_FALSE(copied);
        EXPECT_EQ(copied.error().code, ErrorCode::io);
        EXPECT_NE(copied.error().message.find("rows.number"), std::string::npos) << copied.error().message;
    }
}

TEST(TableCopier, SaysThatThereIsNoSuchTable) {
    FilledTable table("others");
    const Status begun = caught([&] { table.copier.begin(k_columns); });
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().code, ErrorCode::io);
    EXPECT_NE(begun.error().message.find("others"), std::string::npos) << begun.error().message;
}

TEST(TableCopier, StopsWhenItIsTold) {
    FilledTable table;
    table.copier.begin(k_columns);
    table.copier.row(row_of(0));
    Progress progress;
    progress.request_stop();
    EXPECT_FALSE(caught(&progress, [&] { table.copier.row(row_of(1)); }));
}

}  // namespace
}  // namespace snapviewer
