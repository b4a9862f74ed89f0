#include "core/base/output_file.h"

#include <gtest/gtest.h>

#include "core/system/files.h"
#include "tests/unit/contents_of_folder.h"

namespace snapviewer {
namespace {

TEST(OutputFileTest, TakesThePlaceOnlyWhenToldTo) {
    const TestFolder folder;
    write_old(folder);
    Result<OutputFile> file = OutputFile::create(folder.file("out"));
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->write("ne"));
    EXPECT_TRUE(file->write("w"));
    EXPECT_EQ(contents(folder)["out"], "old");
    EXPECT_TRUE(file->commit());
    EXPECT_EQ(contents(folder), (Files{{"out", "new"}}));
}

TEST(OutputFileTest, WritesAWholeText) {
    const TestFolder folder;
    write_old(folder);
    EXPECT_TRUE(OutputFile::write_whole(folder.file("out"), "new"));
    EXPECT_EQ(contents(folder), (Files{{"out", "new"}}));
    EXPECT_FALSE(OutputFile::write_whole(folder.file("none/out"), "new"));
}

TEST(OutputFileTest, LeavesNothingWhereItIsDropped) {
    const TestFolder folder;
    write_old(folder);
    {
        Result<OutputFile> file = OutputFile::create(folder.file("out"));
        ASSERT_TRUE(file);
        EXPECT_TRUE(file->write("new"));
    }
    EXPECT_EQ(contents(folder), (Files{{"out", "old"}}));
}

TEST(OutputFileTest, ByNameByStreamAndByTextItIsTheSameFile) {
    const TestFolder folder;
    Result<OutputFile> file = OutputFile::create(folder.file("out"));
    ASSERT_TRUE(file);
    std::ofstream(file->temporary_path(), std::ios::binary) << "by name, ";
    std::fseek(file->stream(), 0, SEEK_END);
    std::fputs("by stream, ", file->stream());
    file->write("by text");
    EXPECT_TRUE(file->commit());
    EXPECT_EQ(contents(folder), (Files{{"out", "by name, by stream, by text"}}));
}

TEST(OutputFileTest, TwoThatBelongTogether) {
    const TestFolder folder;
    write_old(folder);
    Result<OutputFile> first = OutputFile::create(folder.file("out"));
    Result<OutputFile> second = OutputFile::create(folder.file("other"));
    ASSERT_TRUE(first && second);
    first->write("1");
    second->write("2");
    EXPECT_TRUE(OutputFile::commit(*first, *second));
    EXPECT_EQ(contents(folder), (Files{{"out", "1"}, {"other", "2"}}));
}

TEST(OutputFileTest, APlaceThatIsNoneIsAnError) {
    const TestFolder folder;
    std::filesystem::create_directory(folder.file("folder"));
    EXPECT_EQ(OutputFile::create(folder.file("folder")).error().code, ErrorCode::io);
    std::error_code failed;
    (void)create_new_file(folder.file("nowhere/out"), std::filesystem::perms::owner_all, Umask::applied, failed);
    const Error error = OutputFile::create(folder.file("nowhere/out")).error();
    EXPECT_EQ(error.code, ErrorCode::io);
    EXPECT_TRUE(error.message.ends_with(failed.message())) << error.message;
}

}  // namespace
}  // namespace snapviewer
