#include "core/base/output_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "tests/unit/contents_of_folder.h"

namespace snapviewer {
namespace {

TEST(OutputFilePosixTest, KeepsTheModeOfWhatItReplaces) {
    const TestFolder folder;
    write_old(folder);
    for (const mode_t mode : {0600U, 0666U, 0444U}) {
        ASSERT_EQ(::chmod(folder.file("out").c_str(), mode), 0);
        Result<OutputFile> file = OutputFile::create(folder.file("out"));
        ASSERT_TRUE(file);
        struct stat made {};
        ASSERT_EQ(::stat(file->temporary_path().c_str(), &made), 0);
        EXPECT_EQ(made.st_mode & 0777U, mode);
        EXPECT_TRUE(file->commit());
        struct stat written {};
        ASSERT_EQ(::stat(folder.file("out").c_str(), &written), 0);
        EXPECT_EQ(written.st_mode & 0777U, mode);
    }
}

TEST(OutputFilePosixTest, ALinkThatLeadsToADeviceOrAPipeStays) {
    const TestFolder folder;
    ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
    for (const std::string& target : {std::string("/dev/full"), std::string("/dev/null"), folder.file("pipe")}) {
        std::filesystem::create_symlink(target, folder.file("out"));
        const Result<OutputFile> file = OutputFile::create(folder.file("out"));
        ASSERT_FALSE(file) << target;
        EXPECT_EQ(file.error().code, ErrorCode::io);
        EXPECT_TRUE(std::filesystem::is_symlink(folder.file("out")));
        std::filesystem::remove(folder.file("out"));
    }
}

TEST(OutputFilePosixTest, WhatDoesNotFitLeavesTheOldFile) {
    const TestFolder folder;
    write_old(folder);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit small{4096, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    bool all_written = true;
    bool more_written = true;
    Status placed;
    if (Result<OutputFile> file = OutputFile::create(folder.file("out")); file) {
        all_written = file->write(std::string(1 << 20, 'x'));
        more_written = file->write("y");
        placed = file->commit();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);

    EXPECT_FALSE(all_written);
    EXPECT_FALSE(more_written);
    ASSERT_FALSE(placed);
    EXPECT_EQ(placed.error().code, ErrorCode::io);
    EXPECT_TRUE(placed.error().message.ends_with(std::generic_category().message(EFBIG))) << placed.error().message;
    EXPECT_EQ(contents(folder), (Files{{"out", "old"}}));
}

}  // namespace
}  // namespace snapviewer
