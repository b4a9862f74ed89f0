#include "app/system/crash_report.h"

#include <gtest/gtest.h>

#include "tests/app/scratch_folder.h"

namespace snapviewer {
namespace {

TEST(CrashReports, AreGivenOnceTheNewestFirst) {
    const ScratchFolder folder;
    folder.write("crash-20260101-000000-7.new.txt", "old");
    folder.write("crash-20260102-000000-5.new.txt", "new");
    folder.write("notes.txt", "not ours");
    EXPECT_EQ(take_crash_report(folder.path()), folder.path() / "crash-20260102-000000-5.txt");
    EXPECT_EQ(take_crash_report(folder.path()), std::nullopt);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "crash-20260101-000000-7.txt"));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "notes.txt"));
}

TEST(CrashReports, AreKeptTenAtMost) {
    const ScratchFolder folder;
    for (int day = 10; day < 30; ++day) folder.write("crash-202601" + std::to_string(day) + "-000000-1.txt", "told");
    EXPECT_EQ(take_crash_report(folder.path()), std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "crash-20260119-000000-1.txt"));
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "crash-20260120-000000-1.txt"));
}

TEST(CrashReports, OfNoFolderAreNone) { EXPECT_EQ(take_crash_report("/nowhere/at/all"), std::nullopt); }

}  // namespace
}  // namespace snapviewer
