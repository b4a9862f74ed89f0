#include "app/features/files/files_on_disk.h"

#include <gtest/gtest.h>

#include "tests/app/scratch_folder.h"

namespace snapviewer {
namespace {

TEST(ContentHash, IsOfWhatAFileHoldsNotOfItsName) {
    const ScratchFolder folder;
    const std::string text(100'000, 'x');
    const auto hash = files::content_hash(folder.write("a.pickle", text));
    ASSERT_TRUE(hash);
    EXPECT_EQ(files::content_hash(folder.write("sub/b.json", text)), hash);
    std::string other = text;
    other[70'000] = 'y';
    EXPECT_NE(files::content_hash(folder.write("c", other)), hash);
    EXPECT_NE(files::content_hash(folder.write("d", text + "x")), hash);
    EXPECT_NE(files::content_hash(folder.write("e", "")), hash);
    EXPECT_TRUE(files::content_hash(folder.write("e", "")));
}

TEST(ContentHash, OfALargeFileKnowsBeginningMiddleAndEnd) {
    const ScratchFolder folder;
    const std::string text(20 << 20, 'x');
    const auto hash = files::content_hash(folder.write("a", text));
    for (const std::size_t at : {std::size_t{0}, text.size() - 1}) {
        std::string other = text;
        other[at] = 'y';
        EXPECT_NE(files::content_hash(folder.write("b", other)), hash) << at;
    }
    std::string other = text;
    other.replace(10 << 20, 1 << 20, std::string(1 << 20, 'y'));
    EXPECT_NE(files::content_hash(folder.write("b", other)), hash);
}

TEST(ContentHash, OfAFolderIsThatOfItsAllocations) {
    const ScratchFolder folder;
    const std::string file = folder.write("trace/allocations.json", "[1]");
    EXPECT_EQ(files::content_hash((folder.path() / "trace").string()), files::content_hash(file));
    EXPECT_FALSE(files::content_hash(folder.path().string()));
    EXPECT_FALSE(files::content_hash((folder.path() / "gone").string()));
}

}  // namespace
}  // namespace snapviewer
