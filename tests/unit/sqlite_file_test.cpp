#include "core/sqlite/sqlite_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/context.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

const char* const k_two_rows = "CREATE TABLE T (id INTEGER, value TEXT); INSERT INTO T VALUES (1, 'a'), (2, 'b');";

std::int64_t count_rows(sqlite::SqliteFile& file, const std::string& table = "T") {
    auto rows = file.query("SELECT count(*) FROM " + sqlite::sql_name(table));
    if (!rows || !rows->next()) return -1;
    return rows->integer(0);
}

void copy_files(const TestFolder& from, const TestFolder& to, const std::string& name) {
    for (const char* ending : {"", "-wal", "-journal"}) {
        if (std::filesystem::exists(from.file(name + ending)))
            std::filesystem::copy_file(from.file(name + ending), to.file(name + ending));
    }
}

TEST(SqliteFile, ReadsAndLeavesTheFolderAsItWas) {
    const TestFolder folder;
    { const WrittenDatabase written(folder.file("a.db"), k_two_rows); }
    const auto before = folder.state();
    {
        auto file = sqlite::SqliteFile::open(folder.file("a.db"));
        ASSERT_TRUE(file) << file.error().text();
        EXPECT_EQ(count_rows(**file), 2);
        EXPECT_FALSE((*file)->is_copy());
        EXPECT_TRUE(folder.state() == before);
    }
    EXPECT_TRUE(folder.state() == before);
}

TEST(SqliteFile, AWalHeaderWithoutWalLeavesNothingBehind) {
    const TestFolder folder;
    { const WrittenDatabase written(folder.file("a.db"), std::string("PRAGMA journal_mode=WAL;") + k_two_rows); }
    const auto before = folder.state();
    ASSERT_EQ(before.size(), 1U);
    ASSERT_EQ(before.at("a.db").first[18], 2);  // the header says WAL
    {
        auto file = sqlite::SqliteFile::open(folder.file("a.db"));
        ASSERT_TRUE(file) << file.error().text();
        EXPECT_EQ(count_rows(**file), 2);
        EXPECT_FALSE((*file)->is_copy());
    }
    EXPECT_TRUE(folder.state() == before);
}

TEST(SqliteFile, AHotWalIsReadFromACopy) {
    const TestFolder work;
    const TestFolder folder;
    WrittenDatabase writer(work.file("a.db"),
                           std::string("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;") + k_two_rows);
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    writer.execute("INSERT INTO T VALUES (3, 'only in the wal')");
    copy_files(work, folder, "a.db");
    const auto before = folder.state();
    ASSERT_GT(before.at("a.db-wal").first.size(), 0U);
    auto file = sqlite::SqliteFile::open(folder.file("a.db"));
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_TRUE((*file)->is_copy());
    EXPECT_EQ(count_rows(**file), 3);
    EXPECT_TRUE(folder.state() == before);
    auto again = (*file)->open_again();
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(count_rows(**again), 3);
    for (const char* sql : {"DELETE FROM T", "CREATE TABLE x (y)"}) {
        auto rows = (*file)->query(sql);
        const bool is_done = rows && !rows->next() && rows->status();
        EXPECT_FALSE(is_done) << sql;
    }
    EXPECT_TRUE(folder.state() == before);
}

TEST(SqliteFile, AnUnpackedDatabaseNeedsNoPath) {
    const TestFolder folder;
    // The header says WAL, but the WAL file is gone.
    { const WrittenDatabase written(folder.file("a.db"), std::string("PRAGMA journal_mode=WAL;") + k_two_rows); }
    const std::string bytes = folder.state().at("a.db").first;
    auto scratch = ScratchFile::create(bytes.size());
    ASSERT_TRUE(scratch) << scratch.error().text();
    ASSERT_TRUE(scratch->write(std::as_bytes(std::span(bytes)), 0));
    auto file = sqlite::SqliteFile::open_unpacked(std::move(*scratch), "inner.db");
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ((*file)->path(), "inner.db");
    EXPECT_FALSE((*file)->is_copy());
    EXPECT_EQ(count_rows(**file), 2);
}

TEST(SqliteFile, AnInterruptedChangeIsRolledBackInACopy) {
    const TestFolder work;
    const TestFolder folder;
    // A tiny cache makes SQLite write pages of the unfinished change into the file.
    WrittenDatabase writer(work.file("a.db"), std::string("PRAGMA cache_size=1; PRAGMA page_size=512;") + k_two_rows);
    writer.execute(
        "BEGIN; UPDATE T SET value = 'unfinished';"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
        "INSERT INTO T SELECT i, hex(zeroblob(300)) FROM n;");
    copy_files(work, folder, "a.db");
    const auto before = folder.state();
    ASSERT_GT(before.at("a.db-journal").first.size(), 0U);
    {
        auto file = sqlite::SqliteFile::open(folder.file("a.db"));
        ASSERT_TRUE(file) << file.error().text();
        EXPECT_TRUE((*file)->is_copy());
        EXPECT_EQ(count_rows(**file), 2);
        auto rows = (*file)->query("SELECT value FROM T ORDER BY id");
        ASSERT_TRUE(rows && rows->next());
        EXPECT_EQ(rows->text(0), "a");
    }
    EXPECT_TRUE(folder.state() == before);
}

TEST(SqliteFile, ReadsFromAFolderThatCannotBeWritten) {
    const TestFolder folder;
    { const WrittenDatabase written(folder.file("a.db"), std::string("PRAGMA journal_mode=WAL;") + k_two_rows); }
    const std::filesystem::path path = std::filesystem::path(folder.file("a.db")).parent_path();
    std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    auto file = sqlite::SqliteFile::open(folder.file("a.db"));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(count_rows(**file), 2);
}

TEST(SqliteFile, NamesAreFoundInAnyCase) {
    const TestFolder folder;
    {
        const WrittenDatabase written(folder.file("a.db"),
                                      "CREATE TABLE \"Odd \"\"Name\" (timeStamp, b); CREATE VIEW v AS SELECT 1 AS x");
    }
    auto file = sqlite::SqliteFile::open(folder.file("a.db"));
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ((*file)->tables(), (std::vector<std::string>{"Odd \"Name", "v"}));
    EXPECT_EQ((*file)->find_table("ODD \"NAME"), "Odd \"Name");
    EXPECT_EQ((*file)->find_table("none"), std::nullopt);
    const std::vector<ColumnDoc>& columns = (*file)->columns("odd \"name");
    ASSERT_EQ(columns.size(), 2);
    EXPECT_EQ(columns[0].name, "timeStamp");
    EXPECT_EQ(columns[1].name, "b");
    EXPECT_EQ((*file)->find_column("Odd \"Name", {"time_stamp", "TIMESTAMP"}), "timeStamp");
    ASSERT_EQ((*file)->columns("V").size(), 1);
    EXPECT_EQ((*file)->columns("V").front().name, "x");
    EXPECT_TRUE((*file)->columns("none").empty());
    EXPECT_EQ(count_rows(**file, "Odd \"Name"), 0);
}

TEST(SqliteFile, ValuesKeepTheirTypesAndTextsCountAsNumbers) {
    const TestFolder folder;
    { const WrittenDatabase written(folder.file("a.db"), "CREATE TABLE t (v)"); }
    auto file = sqlite::SqliteFile::open(folder.file("a.db"));
    ASSERT_TRUE(file);
    auto rows = (*file)->query("SELECT '1736756280123456789', 2.5, NULL, x'00ff', -7, 'lots'");
    ASSERT_TRUE(rows && rows->next());
    EXPECT_EQ(rows->type(0), sqlite::ValueType::text);
    EXPECT_EQ(rows->integer(0), 1736756280123456789);
    EXPECT_EQ(rows->type(1), sqlite::ValueType::real);
    EXPECT_EQ(rows->real(1), 2.5);
    EXPECT_EQ(rows->type(2), sqlite::ValueType::null);
    EXPECT_EQ(rows->integer(2), 0);
    EXPECT_EQ(rows->type(3), sqlite::ValueType::blob);
    EXPECT_EQ(rows->integer(4), -7);
    EXPECT_EQ(rows->integer(5), 0);
    EXPECT_FALSE(rows->next());
    EXPECT_TRUE(rows->status());
}

TEST(SqliteFile, ParametersAreBoundAnew) {
    const TestFolder folder;
    { const WrittenDatabase written(folder.file("a.db"), k_two_rows); }
    auto file = sqlite::SqliteFile::open(folder.file("a.db"));
    ASSERT_TRUE(file);
    auto rows = (*file)->query("SELECT value FROM T WHERE id = ?1");
    ASSERT_TRUE(rows);
    rows->bind(1, std::int64_t{2});
    ASSERT_TRUE(rows->next());
    EXPECT_EQ(rows->text(0), "b");
    rows->reset();
    rows->bind(1, std::int64_t{1});
    ASSERT_TRUE(rows->next());
    EXPECT_EQ(rows->text(0), "a");
}

TEST(SqliteFile, NothingCanBeWritten) {
    const TestFolder folder;
    { const WrittenDatabase written(folder.file("a.db"), k_two_rows); }
    const auto before = folder.state();
    auto file = sqlite::SqliteFile::open(folder.file("a.db"));
    ASSERT_TRUE(file);
    for (const char* sql : {"DELETE FROM T", "CREATE TABLE x (y)", "PRAGMA user_version = 3"}) {
        auto rows = (*file)->query(sql);
        if (rows) rows->next();
    }
    EXPECT_TRUE(folder.state() == before);
}

TEST(SqliteFile, DamageIsAnErrorOfTheFile) {
    const TestFolder folder;
    std::ofstream(folder.file("no.db"), std::ios::binary) << "SQLite format 3";
    auto none = sqlite::SqliteFile::open(folder.file("no.db"));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::bad_file);

    {
        const WrittenDatabase written(
            folder.file("cut.db"),
            std::string(k_two_rows) +
                "CREATE TABLE U AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)"
                "SELECT hex(zeroblob(900)) v FROM n");
    }
    std::filesystem::resize_file(folder.file("cut.db"), 40960);
    auto cut = sqlite::SqliteFile::open(folder.file("cut.db"));
    ASSERT_TRUE(cut) << cut.error().text();
    EXPECT_TRUE((*cut)->is_cut_short());
    EXPECT_EQ(count_rows(**cut), 2);
    auto rows = (*cut)->query("SELECT v FROM U");
    ASSERT_TRUE(rows);
    while (rows->next()) continue;
    ASSERT_FALSE(rows->status());
    EXPECT_EQ(rows->status().error().code, ErrorCode::bad_file);

    auto missing = sqlite::SqliteFile::open(folder.file("missing.db"));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::io);
}

TEST(SqliteFile, StopsWhenAsked) {
    const TestFolder folder;
    {
        const WrittenDatabase written(
            folder.file("a.db"),
            "CREATE VIEW endless AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c");
    }
    Progress progress;
    const ContextScope scope{Context(progress)};
    auto file = sqlite::SqliteFile::open(folder.file("a.db"));
    ASSERT_TRUE(file);
    auto rows = (*file)->query("SELECT max(x) FROM endless");
    ASSERT_TRUE(rows);
    progress.request_stop();
    EXPECT_FALSE(rows->next());
    ASSERT_FALSE(rows->status());
    EXPECT_EQ(rows->status().error().code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace snapviewer
