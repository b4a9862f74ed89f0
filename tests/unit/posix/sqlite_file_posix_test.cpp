#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "core/sqlite/sqlite_file.h"
#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

/// RAII: sets an environment variable during a test.
class ScopedVariable {
public:
    ScopedVariable(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        ::setenv(name, value.c_str(), 1);
    }
    ~ScopedVariable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(SqliteFile, ACopyHasNoName) {
    const TestFolder folder;
    const WrittenDatabase writer(folder.file("a.db"), "PRAGMA journal_mode=WAL; CREATE TABLE T (id INTEGER)");
    const TestFolder temporary;
    const ScopedVariable tmpdir("TMPDIR", temporary.file(""));
    auto file = sqlite::SqliteFile::open(folder.file("a.db"));
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_TRUE((*file)->is_copy());
    EXPECT_TRUE(temporary.state().empty());
}

TEST(SqliteFile, OddNamesAreNotTakenForOptions) {
    const TestFolder folder;
    const std::string path = folder.file("a?mode=rwc#1 100%25.db");
    { const WrittenDatabase written(path, "CREATE TABLE T (id INTEGER); INSERT INTO T VALUES (7)"); }
    auto file = sqlite::SqliteFile::open(path);
    ASSERT_TRUE(file) << file.error().text();
    auto rows = (*file)->query("SELECT id FROM T");
    ASSERT_TRUE(rows && rows->next());
    EXPECT_EQ(rows->integer(0), 7);
    EXPECT_EQ(folder.state().size(), 1U);
}

}  // namespace
}  // namespace snapviewer
