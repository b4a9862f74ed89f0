#include "core/system/files.h"

#include <gtest/gtest.h>

namespace snapviewer {
namespace {

TEST(Paths, TellTheFolderThatAFileLiesIn) {
    EXPECT_EQ(folder_of("out/a.png"), "out/");
    EXPECT_EQ(folder_of("/a.png"), "/");
    EXPECT_EQ(folder_of("out/"), "out/");
    EXPECT_EQ(folder_of("a.png"), std::string(".") + k_separator);
    EXPECT_EQ(folder_part("out/deep/a.png"), "out/deep/");
    EXPECT_EQ(folder_part("a.png"), "");
    EXPECT_EQ(folder_part(""), "");
}

TEST(Paths, GainAndLoseTheirEnd) {
    EXPECT_EQ(without_separator("out//"), "out");
    EXPECT_EQ(without_separator("out"), "out");
    EXPECT_EQ(without_separator("//"), "/");
    EXPECT_EQ(without_separator(""), "");
    EXPECT_EQ(with_separator("out"), std::string("out") + k_separator);
    EXPECT_EQ(with_separator("out/"), "out/");
    EXPECT_TRUE(ends_with_separator("/"));
    EXPECT_FALSE(ends_with_separator("out"));
    EXPECT_FALSE(ends_with_separator(""));
}

}  // namespace
}  // namespace snapviewer
