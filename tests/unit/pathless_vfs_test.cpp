#include "core/sqlite/connection.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstddef>
#include <string>
#include <vector>

namespace snapviewer {
namespace {

/// A temporary file in memory, opened and used through SQLite's table of file functions.
class TemporaryFileTest : public testing::Test {
protected:
    TemporaryFileTest() {
        sqlite3_vfs* const vfs = sqlite3_vfs_find(sqlite::pathless_vfs());
        memory_.resize(static_cast<std::size_t>(vfs->szOsFile) / sizeof(std::max_align_t) + 1);
        EXPECT_EQ(vfs->xOpen(vfs, nullptr, file(), SQLITE_OPEN_TEMP_DB, nullptr), SQLITE_OK);
    }
    ~TemporaryFileTest() override { file()->pMethods->xClose(file()); }

    void write(const std::string& bytes, sqlite3_int64 offset) {
        EXPECT_EQ(file()->pMethods->xWrite(file(), bytes.data(), static_cast<int>(bytes.size()), offset), SQLITE_OK);
    }
    void truncate(sqlite3_int64 size) { EXPECT_EQ(file()->pMethods->xTruncate(file(), size), SQLITE_OK); }
    std::string read(std::size_t size, sqlite3_int64 offset, int outcome) {
        std::string bytes(size, '?');
        EXPECT_EQ(file()->pMethods->xRead(file(), bytes.data(), static_cast<int>(size), offset), outcome);
        return bytes;
    }

private:
    sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(memory_.data()); }

    std::vector<std::max_align_t> memory_;
};

TEST_F(TemporaryFileTest, KeepsWhatWasWrittenAcrossPieces) {
    const std::string long_text(300'000, 'a');
    write("begin", 0);
    write(long_text, 5);
    write("end", 300'005);
    EXPECT_EQ(read(300'008, 0, SQLITE_OK), "begin" + long_text + "end");
}

TEST_F(TemporaryFileTest, ReadsZerosBehindTheEnd) {
    write("abc", 0);
    EXPECT_EQ(read(5, 1, SQLITE_IOERR_SHORT_READ), std::string("bc\0\0\0", 5));
}

TEST_F(TemporaryFileTest, ReadsZerosWhereItWasCutAndGrewAgain) {
    write("abcdefgh", 0);
    truncate(2);
    write("z", 6);
    EXPECT_EQ(read(7, 0, SQLITE_OK), std::string("ab\0\0\0\0z", 7));
}

}  // namespace
}  // namespace snapviewer
