#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "core/sqlite/connection.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

using Files = std::map<std::string, std::string>;

std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    return bytes.str();
}

void write_bytes(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// A database and its journal as a program leaves them if it crashes in the middle of its second change.
Files left_by_a_crash(const std::string& journal_mode, int page_bytes) {
    const TestFolder folder;
    const std::string path = folder.file("a.db");
    WrittenDatabase writer(path, "PRAGMA page_size=" + std::to_string(page_bytes) + ";PRAGMA journal_mode=" + journal_mode +
                                     ";PRAGMA wal_autocheckpoint=0;PRAGMA cache_size=1;PRAGMA synchronous=OFF;"
                                     "CREATE TABLE T (id INTEGER PRIMARY KEY, value TEXT)");
    const std::string insert =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
        "INSERT INTO T (value) SELECT hex(zeroblob(i * " +
        std::to_string(page_bytes / 128) + ")) FROM n;";
    writer.execute(insert);
    writer.execute("DELETE FROM T WHERE id % 3 = 0;");
    writer.execute("BEGIN; UPDATE T SET value = 'unfinished' || id; " + insert + insert);
    Files files;
    for (const char* ending : {"", "-journal", "-wal"}) {
        if (std::filesystem::exists(path + ending)) files[ending] = bytes_of(path + ending);
    }
    return files;
}

/// The contents after recovery by SQLite itself, even if SQLite then finds errors in the pages. The checkpoint moves
/// everything into one file; it has no effect without WAL.
std::string recovered_by_sqlite(const Files& files) {
    const TestFolder folder;
    for (const auto& [ending, bytes] : files) write_bytes(folder.file("a.db" + ending), bytes);
    sqlite3* connection = nullptr;
    sqlite3_open(folder.file("a.db").c_str(), &connection);
    for (const char* sql :
         {"PRAGMA synchronous=OFF", "SELECT count(*) FROM sqlite_master", "PRAGMA wal_checkpoint(TRUNCATE)"})
        sqlite3_exec(connection, sql, nullptr, nullptr, nullptr);
    sqlite3_close(connection);
    return bytes_of(folder.file("a.db"));
}

std::optional<std::string> absorbed(const Files& files) {
    const TestFolder folder;
    for (const auto& [ending, bytes] : files) write_bytes(folder.file("a.db" + ending), bytes);
    auto current = sqlite::absorb_journals(folder.file("a.db"));
    if (!current) {
        EXPECT_EQ(current.error().code, ErrorCode::bad_file) << current.error().text();
        return std::nullopt;
    }
    if (!current->copy) return files.at("");
    std::string bytes(current->copy->size_bytes(), '\0');
    std::error_code failed;
    EXPECT_EQ(read_at(current->copy->handle(), std::as_writable_bytes(std::span(bytes)), 0, failed), bytes.size());
    return bytes;
}

class Journals : public ::testing::TestWithParam<std::tuple<std::string, int>> {
protected:
    Files files = left_by_a_crash(std::get<0>(GetParam()), std::get<1>(GetParam()));
    std::string ending = files.contains("-wal") ? "-wal" : "-journal";
};

TEST_P(Journals, AreAppliedAsSqliteDoes) {
    ASSERT_GT(files.at(ending).size(), 4000U);
    const std::string expected = recovered_by_sqlite(files);
    ASSERT_NE(expected, files.at("")) << "nothing to recover";
    EXPECT_TRUE(absorbed(files) == expected);
}

TEST_P(Journals, CutAnywhereAreAppliedAsSqliteDoes) {
    const std::string whole = files.at(ending);
    for (std::size_t i = 0; i <= 40; ++i) {
        files[ending] = whole.substr(0, whole.size() * i / 40 + i % 3);
        EXPECT_TRUE(absorbed(files) == recovered_by_sqlite(files)) << i;
    }
}

TEST_P(Journals, WithAWrongByteAreAppliedAsSqliteDoes) {
    const std::string whole = files.at(ending);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < 32; ++i) places.push_back(i);
    for (std::size_t i = 0; i < 40; ++i) places.push_back(whole.size() * i / 40);
    for (const std::size_t place : places) {
        // SQLite resizes the file to the length in these bytes, while our code only shortens it.
        if (ending == "-journal" && place >= 16 && place < 20) continue;
        files[ending] = whole;
        files[ending][place] = static_cast<char>(files[ending][place] ^ 0x10);
        EXPECT_TRUE(absorbed(files) == recovered_by_sqlite(files)) << "byte " << place;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, Journals, ::testing::Combine(::testing::Values("DELETE", "PERSIST", "WAL"), ::testing::Values(512, 4096, 65536)),
    [](const auto& mode) { return std::get<0>(mode.param) + "_" + std::to_string(std::get<1>(mode.param)); });

TEST(JournalsOfAnotherDatabase, AreAppliedAsSqliteDoesOrRefused) {
    for (const std::string mode : {"DELETE", "WAL"}) {
        const std::string ending = mode == "WAL" ? "-wal" : "-journal";
        for (const auto& [page_bytes, other_page_bytes] :
             {std::pair(512, 4096), std::pair(4096, 512), std::pair(1024, 1024)}) {
            Files files = left_by_a_crash(mode, page_bytes);
            files[ending] = left_by_a_crash(mode, other_page_bytes).at(ending);
            const std::string recovered = recovered_by_sqlite(files);
            std::optional<std::string> read = absorbed(files);
            // SQLite also extends the file with zeros to the length in the journal.
            if (read && read->size() < recovered.size()) read->resize(recovered.size());
            EXPECT_TRUE(read.value_or(files.at("")) == recovered) << mode << page_bytes;
        }
    }
}

TEST(ScratchFile, IsNotBegunWhereThereIsNoRoomForIt) {
    auto scratch = ScratchFile::create(std::uint64_t{1} << 60);
    ASSERT_FALSE(scratch);
    EXPECT_EQ(scratch.error().code, ErrorCode::io);
    EXPECT_NE(scratch.error().message.find("1.0 EiB"), std::string::npos) << scratch.error().message;
    EXPECT_NE(scratch.error().message.find("TMPDIR"), std::string::npos) << scratch.error().message;
}

}  // namespace
}  // namespace snapviewer
