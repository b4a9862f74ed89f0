#include "core/base/input_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "tests/unit/scratch_database.h"

namespace snapviewer {
namespace {

const auto k_page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

std::string write_pages(const TestFolder& folder, const std::string& name, std::size_t count) {
    std::ofstream(folder.file(name), std::ios::binary) << std::string(count * k_page, 'x');
    return folder.file(name);
}

TEST(MappedFileTest, WhatIsCutOffReadsAsZerosAndIsTold) {
    const TestFolder folder;
    const std::string path = write_pages(folder, "cut", 100);
    Result<MappedFile> file = MappedFile::open(path);
    Result<MappedFile> other = MappedFile::open(write_pages(folder, "other", 100));
    ASSERT_TRUE(file && other);
    std::filesystem::resize_file(path, 10 * k_page);

    EXPECT_EQ(file->bytes()[10 * k_page - 1], std::byte{'x'});
    for (std::size_t page = 10; page < 100; ++page) ASSERT_EQ(file->bytes()[page * k_page + 7], std::byte{0});
    EXPECT_EQ(file->check_still_whole().error().code, ErrorCode::io);
    EXPECT_EQ(other->bytes().back(), std::byte{'x'});
    EXPECT_TRUE(other->check_still_whole());
}

TEST(MappedFileTest, WhatIsCutWithinAPageIsToldToo) {
    const TestFolder folder;
    const std::string path = write_pages(folder, "cut", 1);
    const Result<MappedFile> file = MappedFile::open(path);
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->check_still_whole());
    std::filesystem::resize_file(path, k_page - 1);
    EXPECT_FALSE(file->check_still_whole());
}

TEST(MappedFileTest, WhatWasCutAndWrittenAnewIsToldIfTheGapWasSeen) {
    const TestFolder folder;
    const std::string path = write_pages(folder, "again", 4);
    Result<MappedFile> opened = MappedFile::open(path);
    ASSERT_TRUE(opened);
    const MappedFile file = std::move(*opened);
    std::filesystem::resize_file(path, 0);
    EXPECT_EQ(file.bytes()[3 * k_page], std::byte{0});
    write_pages(folder, "again", 5);
    EXPECT_FALSE(file.check_still_whole());
    EXPECT_TRUE(MappedFile::open(path)->check_still_whole()) << "what is opened now is whole";
}

TEST(MappedFileTest, AFileThatGrowsIsWhole) {
    const TestFolder folder;
    const std::string path = write_pages(folder, "grows", 2);
    const Result<MappedFile> file = MappedFile::open(path);
    ASSERT_TRUE(file);
    write_pages(folder, "grows", 3);
    EXPECT_TRUE(file->check_still_whole());
}

TEST(MappedFileDeathTest, AnotherBusErrorStillEndsTheProgram) {
    const TestFolder folder;
    const Result<MappedFile> file = MappedFile::open(write_pages(folder, "any", 1));
    ASSERT_TRUE(file);
// Sanitizers catch the signal and end the program themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    EXPECT_DEATH(std::raise(SIGBUS), "Sanitizer: BUS");
#else
    EXPECT_EXIT(std::raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
#endif
}

}  // namespace
}  // namespace snapviewer
